/** Writes the findings as JSON that can be shown to others: without secrets, names and paths. */

import os from 'node:os';
import path from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { Finding } from '../../base/checks.ts';
import { describeVariables } from '../../config/describe.ts';
import { type SettingsHere, variablesOf } from './settings.ts';

/** Shorter values also occur in unrelated sentences. */
const MIN_HIDDEN_LENGTH = 6;
/** Characters of addresses, paths, mail addresses and lists. Words of a sentence do not have them. */
const NO_WORD = /[/:@]/;

/** Returns the versions, the system and the findings as JSON. */
export function toJson(findings: readonly Finding[], here: SettingsHere): string {
  const hidden = findHidden(here);
  const report = {
    version: manifest.version,
    node: process.version,
    system: `${os.platform()} ${os.arch()} ${os.release()}`,
    findings: findings.map(({ names = [], ...finding }) => hideIn(finding, [...hidden, ...names])),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/**
 * Returns the texts to hide. Findings contain no secrets, but a later finding may quote a setting. `PUBLIC_URL` is not hidden, because it is public.
 */
function findHidden(here: SettingsHere): string[] {
  const { env, connectors, modules } = here;
  const secrets = new Set(
    describeVariables(connectors, modules)
      .filter(({ secret }) => secret)
      .map(({ name }) => name),
  );
  const values = variablesOf(here).flatMap((name) => {
    const value = env[name] ?? '';
    return name !== 'PUBLIC_URL' && (secrets.has(name) || NO_WORD.test(value)) ? [value] : [];
  });
  const files = values.filter((value) => value.startsWith('sqlite:')).map((value) => path.resolve(value.slice(7)));
  const longTexts = [...values, ...files, ...files.map(path.dirname)].filter(
    (text) => text.length >= MIN_HIDDEN_LENGTH,
  );
  return [...longTexts, process.cwd(), os.homedir()];
}

function hideIn({ seen, fix, ...finding }: Finding, hidden: readonly string[]): Finding {
  const longestFirst = hidden.toSorted((one, other) => other.length - one.length);
  const hide = (text: string): string =>
    longestFirst.reduce((masked, each) => masked.replaceAll(each, '(hidden)'), text);
  const hiddenFinding = { ...finding, seen: hide(seen) };
  return fix === undefined ? hiddenFinding : { ...hiddenFinding, fix: hide(fix) };
}
