/** A process that generates one document after another, so that a crash or a hang stays contained. Tasks arrive as messages. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generate } from '../../../codegen/generate.ts';
import { UsageError } from '../../../shared/cli/run.ts';
import { checkTools } from './check-tools.ts';
import { countOperations } from './count-operations.ts';
import { decide } from './decide.ts';
import { addService } from './layout.ts';
import { type Outcome, type Task, UNFINISHED } from './outcome.ts';

process.on('message', (task: Task) => {
  void generateDocument(task)
    .catch((error) => ({ ...UNFINISHED, defects: [`codegen failed: ${error instanceof Error ? error.stack : error}`] }))
    .then((outcome) => process.send?.(outcome));
});

async function generateDocument({ root, service, document }: Task): Promise<Outcome> {
  let descriptor: string;
  try {
    descriptor = await addService(root, service, document);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...UNFINISHED, errors: [`utg add: ${error.message}`] };
  }

  const { result, decided, seconds } = await generateService(root, service);
  const files = result.files.filter((file) => file.path.startsWith(`generated/${service}/`));
  for (const { path: name, text } of files) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }

  const published = await readFile(document.rootFolder === undefined ? document.file : descriptor, 'utf8');
  const operations = document.overlay === undefined ? countOperations(published) : null;
  const connector = files.length === 0 ? null : (result.services[0]?.connector ?? null);
  const errors = result.diagnostics.filter(({ severity }) => severity === 'error');
  const defects = connector === null ? [] : checkTools(connector, operations);
  if (connector === null && errors.length === 0) defects.push('nothing was generated, and no diagnostic says why');
  for (const { code, message } of errors) if (code === 'codegen-defect') defects.push(message);
  return {
    operations,
    tools: connector?.tools.length ?? 0,
    decided,
    errors: errors.map(({ code, position, message }) => `${code} at line ${position?.line}: ${message}`),
    defects,
    isGenerated: files.length > 0,
    seconds,
  };
}

/** Generates a service with the decisions in connector.yaml that its diagnostics ask for. Writes only `specs/<service>/connector.yaml`. */
async function generateService(root: string, service: string) {
  const config = {};
  const decided = new Set<string>();
  for (;;) {
    const startedAt = performance.now();
    const result = await generate({ root, services: [service] });
    const seconds = (performance.now() - startedAt) / 1000;
    const decision = decide(result.diagnostics);
    if (decision === null || decision.codes.every((code) => decided.has(code)))
      return { result, decided: [...decided].sort(), seconds };
    for (const code of decision.codes) decided.add(code);
    Object.assign(config, decision.config);
    await writeFile(path.join(root, 'specs', service, 'connector.yaml'), JSON.stringify(config));
  }
}
