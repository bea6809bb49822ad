/** An upstream that accepts requests without answering them, from `POST /hang` until `POST /answer`. */

import { createServer } from 'node:http';

let hangs = false;

createServer((request, response) => {
  request.resume();
  if (request.url === '/hang') hangs = true;
  else if (request.url === '/answer') hangs = false;
  else if (hangs) return;
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}).listen(Number(process.env.PORT), '127.0.0.1');
