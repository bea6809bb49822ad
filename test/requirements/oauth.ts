/** Reads the requirements of OAuth from `oauth.yaml`. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Requirement } from './requirement.ts';

/** Requirements under one heading. */
export interface RequirementGroup {
  readonly heading: string;
  readonly requirements: readonly Requirement[];
}

const TEXT = readFileSync(path.join(import.meta.dirname, 'oauth.yaml'), 'utf8');

export const OAUTH_REQUIREMENTS = parse(TEXT) as readonly RequirementGroup[];

/** The id of one of them; `coverage.test.ts` checks it. */
export type RequirementId = Requirement['id'];
