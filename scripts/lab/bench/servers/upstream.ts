/** The upstream of every measured server: answers each request at once with the same 1 KB of JSON. */

import { createServer } from 'node:http';
import { CONTACTS } from '../call.ts';

createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(CONTACTS) });
  response.end(CONTACTS);
}).listen(Number(process.env.PORT), '127.0.0.1');
