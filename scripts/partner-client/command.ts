/** The command that keeps the types of the partner client consistent with the HTTP API's OpenAPI description. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import openapiTS, { astToString } from 'openapi-typescript';
import { createCommand } from '../../shared/cli/command.ts';
import { FailureError } from '../../shared/cli/run.ts';

const DESCRIPTION = 'docs/reference/gateway-openapi.yaml';
const TYPES = 'examples/partner-client/api.d.ts';
const ROOT = path.join(import.meta.dirname, '../..');

/** `npm run partner-client`. */
export function createPartnerClientCommand(): Command {
  return createCommand('partner-client')
    .summary('write the types of the partner client')
    .description(`Writes ${TYPES} from ${DESCRIPTION}.`)
    .option('--check', 'only compare: fail where the file is not up to date')
    .action(async ({ check = false }: { check?: boolean }) => {
      const text = await emitTypes();
      const file = path.join(ROOT, TYPES);
      const known = await readFile(file, 'utf8').catch(() => '');
      if (check && known !== text) {
        throw new FailureError(`${TYPES} is not up to date. Run \`npm run partner-client\` and commit what it writes.`);
      }
      if (known !== text) await writeFile(file, text);
      console.log(`${TYPES} is up to date.`);
    });
}

async function emitTypes(): Promise<string> {
  const types = await openapiTS(pathToFileURL(path.join(ROOT, DESCRIPTION)), { alphabetize: true, silent: true });
  return `// Written by \`npm run partner-client\` from ${DESCRIPTION}. Do not edit.\n${astToString(types)}`;
}
