/** `npm run requirements`: writes docs/oauth-requirements.md from the requirements and the tests that name them. */

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findVerifications } from '../test/requirements/find-verifications.ts';
import { OAUTH_REQUIREMENTS } from '../test/requirements/oauth.ts';
import { toRequirementsPage } from '../test/requirements/table.ts';

const file = 'docs/oauth-requirements.md';
writeFileSync(resolve(import.meta.dirname, '..', file), toRequirementsPage(OAUTH_REQUIREMENTS, findVerifications()));
console.log(`Wrote ${file}.`);
