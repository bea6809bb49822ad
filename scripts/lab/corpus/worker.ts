/**
 * A process that generates one document after another, so that a crash or a hang stays contained. Tasks arrive as messages.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Diagnostic } from '../../../codegen/diagnostics.ts';
import type { EmittedFile } from '../../../codegen/emit/index.ts';
import { generate } from '../../../codegen/generate.ts';
import type { ConnectorModel } from '../../../codegen/tools/types.ts';
import { UsageError } from '../../../shared/cli/run.ts';
import { checkTools, countSchemas } from './check-tools.ts';
import { countOperations } from './count-operations.ts';
import { type Decision, decide, mergeAnswers } from './decide.ts';
import { describeDocument } from './document.ts';
import { addService } from './layout.ts';
import { countTexts, failedOutcome, type Outcome, type Task } from './outcome.ts';

process.on('message', (task: Task) => {
  void run(task).then((outcome) => process.send?.(outcome));
});

async function run(task: Task): Promise<Outcome> {
  const started = performance.now();
  const failed = (text: string) => failedOutcome(text, (performance.now() - started) / 1000);
  try {
    const facts = await describeDocument(await readFile(task.file, 'utf8'));
    let descriptor: string;
    try {
      descriptor = await addService(task.root, task.service, task);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return { ...failed(''), ...facts, errors: { 'utg add': 1 }, messages: [error.message], defects: [] };
    }
    return { ...(await toOutcome(task, descriptor, await generateService(task.root, task.service))), ...facts };
  } catch (error) {
    return failed(`codegen failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

interface GeneratedService {
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

/** Generates a service with the decisions in connector.yaml that its diagnostics ask for. Writes only `specs/<service>/connector.yaml`. */
async function generateService(root: string, service: string): Promise<GeneratedService> {
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

async function toOutcome(
  { root, file, rootFolder, overlay }: Task,
  descriptor: string,
  { connector, files, diagnostics, decided, seconds }: GeneratedService,
): Promise<Omit<Outcome, 'version' | 'isValid'>> {
  for (const { path: name, text } of files) {
    const target = path.join(root, name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  const text = await readFile(descriptor, 'utf8');
  const published = rootFolder === undefined ? await readFile(file, 'utf8') : text;
  const operations = overlay === undefined ? countOperations(published) : null;
  const codes = (wanted: string) => diagnostics.filter(({ severity }) => severity === wanted).map(({ code }) => code);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const tools = connector?.tools ?? [];
  const defects = connector === null ? [] : checkTools(connector, operations);
  if (connector === null && errors.length === 0) defects.push('nothing was generated, and no diagnostic says why');
  for (const { code, message } of errors) if (code === 'codegen-defect') defects.push(message);
  return {
    operations,
    tools: tools.length,
    refused: countTexts((connector?.notExposed ?? []).map(({ reason }) => reason)),
    decided,
    errors: countTexts(codes('error')),
    warnings: countTexts(codes('warning')),
    schemas: countSchemas(tools),
    messages: errors.slice(0, 5).map(({ code, position, message }) => `${code} at line ${position?.line}: ${message}`),
    defects,
    bytes: files.reduce((sum, one) => sum + Buffer.byteLength(one.text), 0),
    seconds,
    megabytes: Math.round(process.resourceUsage().maxRSS / 1000),
  };
}
