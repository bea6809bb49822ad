/**
 * Reads from every `connector.yaml` of a folder its acknowledgements, its budget, and its texts, which we wrote. No model reads texts from
 * `account` and `synonyms`.
 */

import { formatPlace, type Locate, toDiagnostic } from '../../codegen/diagnostics.ts';
import { withoutUndefined } from '../../codegen/json.ts';
import { loadConfig } from '../../codegen/load/config.ts';
import { listServices, openServiceFolder } from '../../codegen/load/service-folder.ts';
import type { Acknowledgement } from '../../codegen/report/index.ts';

/** Any `connector.yaml` may acknowledge a change of any service, because a removed service has none. */
export async function loadAcknowledgements(root: string): Promise<{
  acknowledgements: Acknowledgement[];
  ownTexts: Map<string, Set<string>>;
  budgets: Map<string, number>;
  problems: string[];
}> {
  const acknowledgements: Acknowledgement[] = [];
  const ownTexts = new Map<string, Set<string>>();
  const budgets = new Map<string, number>();
  const problems: string[] = [];
  for (const service of await listServices(root)) {
    const folder = await openServiceFolder(root, service);
    if (folder === null) continue;
    const { file, config, problems: configProblems, sources } = await loadConfig(folder);
    const { account: _account, synonyms: _synonyms, ...worded } = config;
    if (config.budget?.service !== undefined) budgets.set(service, config.budget.service);
    ownTexts.set(service, new Set(stringsIn(worded)));
    const locate: Locate = (_file, pointer) => sources[0]?.locate(pointer) ?? null;
    for (const problem of configProblems)
      problems.push(`${formatPlace(toDiagnostic(problem, locate))}: ${problem.message}`);
    for (const [fingerprint, reason] of Object.entries(config.acknowledged)) {
      const line = sources[0]?.locate(`/acknowledged/${fingerprint}`)?.line;
      acknowledgements.push(withoutUndefined({ fingerprint, reason, file: file ?? folder.file, line }));
    }
  }
  return { acknowledgements, ownTexts, budgets, problems };
}

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    yield name;
    yield* stringsIn(member);
  }
}
