#!/usr/bin/env node
/** Runs `utg`, the command of the package: the same as `npx unified-tool-gateway`. */

import { existsSync } from 'node:fs';
import module from 'node:module';
import { describeOldNode } from '../server/node-version.ts';

const COMPILED = 'node_modules/.cache/unified-tool-gateway/compiled';

const problem = describeOldNode(process.versions.node);
if (problem !== null) {
  console.error(problem);
  process.exitCode = 1;
} else {
  if (existsSync('node_modules')) module.enableCompileCache(COMPILED);
  if (existsSync('.env')) process.loadEnvFile('.env');
  const { runUtg } = await import('./utg/run.ts');
  process.exitCode = await runUtg(process.argv.slice(2));
}
