/**
 * Runs the application with your own gateway:
 * `GATEWAY=http://127.0.0.1:3000 CLIENT_ID=... CLIENT_SECRET=... node examples/partner-app/main.ts`.
 */

import { startPartnerApp } from './index.ts';

const { GATEWAY = 'http://127.0.0.1:3000', CLIENT_ID, CLIENT_SECRET, PORT = '3002' } = process.env;
if (CLIENT_ID === undefined || CLIENT_SECRET === undefined) throw new Error('Set CLIENT_ID and CLIENT_SECRET.');
const options = { gateway: GATEWAY, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, port: Number(PORT) };
const { origin } = await startPartnerApp(options);
process.stdout.write(`Open ${origin}\n`);
