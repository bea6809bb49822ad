/** The gateway with generated tools in addition to those that it ships with. */

import { serveWideGateway } from '../gateway-internals.ts';

await serveWideGateway(Number(process.env.BENCH_TOOLS));
