/** Receives the metrics and traces of gateways, and discards them. */

import { createServer } from 'node:http';

createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
}).listen(Number(process.env.PORT), '127.0.0.1');
