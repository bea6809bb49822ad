/** Generates one service of a layout, with the decisions in connector.yaml that its diagnostics ask for. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Diagnostic } from '../../codegen/diagnostics.ts';
import type { EmittedFile } from '../../codegen/emit/index.ts';
import { generate } from '../../codegen/generate.ts';
import type { ConnectorModel } from '../../codegen/tools/types.ts';
import { type Decision, decide, mergeAnswers } from './decide.ts';

export interface GeneratedService {
  /** Null where there are errors that connector.yaml cannot answer. */
  readonly connector: ConnectorModel | null;
  /** Of the service alone. */
  readonly files: readonly EmittedFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** Codes that connector.yaml was written for, sorted. */
  readonly decided: readonly string[];
  /** Of the last run. */
  readonly seconds: number;
}

/** Writes `specs/<service>/connector.yaml`, and nothing else. */
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
