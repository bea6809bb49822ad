/** Generates one service of a layout, with the decisions in connector.yaml that its diagnostics ask for. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Diagnostic } from '../../../codegen/diagnostics.ts';
import type { EmittedFile } from '../../../codegen/emit/index.ts';
import { generate } from '../../../codegen/generate.ts';
import type { ConnectorModel } from '../../../codegen/tools/types.ts';
import { type Decision, decide, mergeAnswers } from './decide.ts';

export interface GeneratedService {
  /** Null if there are errors that connector.yaml cannot solve. */
  readonly connector: ConnectorModel | null;
  /** Files of this service only. */
  readonly files: readonly EmittedFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** Diagnostic codes that connector.yaml answers, sorted. */
  readonly decided: readonly string[];
  /** Duration of the last run of codegen. */
  readonly seconds: number;
}

/** Writes only `specs/<service>/connector.yaml`. */
export async function generateService(root: string, service: string): Promise<GeneratedService> {
  let started = performance.now();
  let result = await generate({ root, services: [service] });
  const codes = new Set<string>();
  const answers: Decision[] = [];
  for (let decision = decide(result.diagnostics); decision !== null; decision = decide(result.diagnostics)) {
    if (decision.codes.every((code) => codes.has(code))) break;
    for (const code of decision.codes) codes.add(code);
    answers.push(decision);
    await writeFile(path.join(root, 'specs', service, 'connector.yaml'), mergeAnswers(answers));
    started = performance.now();
    result = await generate({ root, services: [service] });
  }
  const files = result.files.filter((emitted) => emitted.path.startsWith(`generated/${service}/`));
  return {
    connector: files.length === 0 ? null : (result.services[0]?.connector ?? null),
    files,
    diagnostics: result.diagnostics,
    decided: [...codes].sort(),
    seconds: (performance.now() - started) / 1000,
  };
}
