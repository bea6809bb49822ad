/** The gateway with made-up tools next to those that it ships with. */

import { serveWideGateway } from '../gateway-internals.ts';

await serveWideGateway(Number(process.env.BENCH_TOOLS));
