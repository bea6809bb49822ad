/**
 * A process that generates one document after another, so that a crash or a hang stays contained. Tasks arrive as messages.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../../../shared/cli/run.ts';
import { checkTools, countSchemas } from './check-tools.ts';
import { countOperations } from './count-operations.ts';
import { describeDocument } from './document.ts';
import { type GeneratedService, generateService } from './generate.ts';
import { addService } from './layout.ts';
import { countOptionalBodies } from './optional-bodies.ts';
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
      return { ...failed(''), ...facts, errors: { 'connector add': 1 }, messages: [error.message], defects: [] };
    }
    return { ...(await toOutcome(task, descriptor, await generateService(task.root, task.service))), ...facts };
  } catch (error) {
    return failed(`codegen failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
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
    optionalBodies: countOptionalBodies(text, tools),
    messages: errors.slice(0, 5).map(({ code, position, message }) => `${code} at line ${position?.line}: ${message}`),
    defects,
    bytes: files.reduce((sum, one) => sum + Buffer.byteLength(one.text), 0),
    seconds,
    megabytes: Math.round(process.resourceUsage().maxRSS / 1000),
  };
}
