/** Reports the local gateway's settings as findings. */

import { type CheckResult, count, error, ok, warning } from '../../base/checks.ts';
import { findProject } from '../../call/tools/catalogue/connectors.ts';
import { toServed } from '../../call/tools/catalogue/provenance.ts';
import { loadReviewed, ReviewedError } from '../../call/tools/catalogue/reviewed.ts';
import { describeVariables } from '../../config/describe.ts';
import { type Config, ConfigError, type ConfigSource, loadConfig } from '../../config/index.ts';
import type { Connector } from '../../contract/index.ts';
import type { AnyModule } from '../../module.ts';

/** Sources of the settings that the doctor reads. */
export type SettingsHere = ConfigSource & {
  readonly env: NonNullable<ConfigSource['env']>;
  readonly modules: readonly AnyModule[];
};

/** Returns the variables that the gateway reads, and those that name a file instead. */
export function variablesOf({ connectors, modules }: SettingsHere): string[] {
  return describeVariables(connectors, modules).flatMap(({ name, secret }) =>
    secret ? [name, `${name}_FILE`] : [name],
  );
}

/** Tests whether a gateway is set up here: at least one of its variables is set. */
export function hasSettings(here: SettingsHere): boolean {
  return variablesOf(here).some((name) => (here.env[name] ?? '') !== '');
}

/** @returns no settings if one of them is invalid. */
export function readSettings(here: SettingsHere): { config: Config | null; findings: CheckResult[] } {
  try {
    const config = loadConfig(here);
    const nameWarnings = config.warnings.map((sentence) =>
      warning(sentence.replace(/\.$/, ''), 'correct its name, or remove it'),
    );
    return { config, findings: nameWarnings.length > 0 ? nameWarnings : [ok('every setting can be used')] };
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    const findings = problem.problems.map(({ variable, problem: words, example }) =>
      error(`${variable} ${words}`, `for example: ${variable}=${example}`),
    );
    return { config: null, findings };
  }
}

/** Judges whether the settings leave clients a way to identify themselves. */
export function judgeClientIdentities({ registration, clientDocuments }: Config): CheckResult {
  if (registration !== 'off') return ok('clients can register (CLIENT_REGISTRATION)');
  if (clientDocuments) return ok('registration is off: clients sign in with their metadata documents alone');
  return warning(
    'no client can identify itself: CLIENT_REGISTRATION and CLIENT_ID_METADATA_DOCUMENTS are off',
    'set one of them, or tell users that they need a token',
  );
}

/** Checks the file that `REQUIRE_REVIEWED` names, and reports the tools that it leaves out. */
export async function checkReviewed(
  { requireReviewed }: Config,
  connectors: readonly Connector[],
): Promise<CheckResult[]> {
  if (requireReviewed === null) return [];
  try {
    const { unreviewed } = toServed(connectors, await loadReviewed(requireReviewed, findProject()));
    if (unreviewed.length === 0) return [ok('every tool was reviewed (REQUIRE_REVIEWED)')];
    const fix = 'review them: npm run tools:diff -- --approve';
    return [warning(`${count(unreviewed.length, 'tool or service')} without a review: not served`, fix)];
  } catch (problem) {
    if (!(problem instanceof ReviewedError)) throw problem;
    return [error('REQUIRE_REVIEWED names no list of reviewed tools and no revision', 'correct REQUIRE_REVIEWED')];
  }
}
