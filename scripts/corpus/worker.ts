/** A process that generates documents one after another, so that a crash or a hang is its own. Tasks come as messages. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type GenerateResult, generate } from '../../codegen/generate.ts';
import { checkTools } from './check-tools.ts';
import { countOperations } from './count-operations.ts';
import { type Decision, decide, mergeAnswers } from './decide.ts';
import { countTexts, failedOutcome, type Outcome, type Task } from './outcome.ts';

process.on('message', (task: Task) => {
  void run(task).then((outcome) => process.send?.(outcome));
});

async function run(task: Task): Promise<Outcome> {
  const { root, service } = task;
  let started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  try {
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
    return await toOutcome(task, result, [...codes].sort(), seconds());
  } catch (error) {
    return failedOutcome(`codegen failed: ${error instanceof Error ? error.stack : String(error)}`, seconds());
  }
}

async function toOutcome(
  { root, service, file }: Task,
  { files, services, diagnostics }: GenerateResult,
  decided: readonly string[],
  seconds: number,
): Promise<Outcome> {
  const own = files.filter((emitted) => emitted.path.startsWith(`generated/${service}/`));
  for (const { path: name, text } of own) {
    const target = path.join(root, name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  const connector = own.length === 0 ? null : (services[0]?.connector ?? null);
  const operations = countOperations(await readFile(file, 'utf8'));
  const codes = (wanted: string) => diagnostics.filter(({ severity }) => severity === wanted).map(({ code }) => code);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const defects = connector === null ? [] : checkTools(connector, operations);
  if (connector === null && errors.length === 0) defects.push('nothing was generated, and no diagnostic says why');
  return {
    operations,
    tools: connector?.tools.length ?? 0,
    refused: countTexts((connector?.notExposed ?? []).map(({ reason }) => reason)),
    decided,
    errors: countTexts(codes('error')),
    warnings: countTexts(codes('warning')),
    messages: errors.slice(0, 5).map(({ code, position, message }) => `${code} at line ${position?.line}: ${message}`),
    defects,
    bytes: own.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    seconds,
    megabytes: Math.round(process.resourceUsage().maxRSS / 1000),
  };
}
