/** `npm run requirements`: writes docs/reference/oauth-requirements.md from the requirements and the tests that name them. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createCommand } from '../cli/command.ts';
import { runCommand } from '../cli/run.ts';
import { findVerifications } from '../test/requirements/find-verifications.ts';
import { OAUTH_REQUIREMENTS } from '../test/requirements/oauth.ts';
import { toRequirementsPage } from '../test/requirements/table.ts';

const PAGE = 'docs/reference/oauth-requirements.md';

const command = createCommand('requirements')
  .description(`Writes ${PAGE} from test/requirements/ and from the tests that name a requirement.`)
  .action(() => {
    const file = path.join(import.meta.dirname, '..', PAGE);
    writeFileSync(file, toRequirementsPage(OAUTH_REQUIREMENTS, findVerifications()));
    console.log(`Wrote ${PAGE}.`);
  });

process.exitCode = await runCommand(command);
