/** The large-descriptor command: codegen on one large descriptor in a copy of the project's layout, with figures. */

import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { createCommand } from '../../cli/command.ts';
import { FailureError } from '../../cli/run.ts';
import { type GenerateResult, generate } from '../../codegen/generate.ts';
import { compareGenerated, writeChanges } from '../../codegen/write.ts';
import { addService, compileLayout, createLayout } from '../corpus/layout.ts';

interface LargeDescriptorOptions {
  readonly service: string;
  readonly drift?: boolean;
  readonly keep?: boolean;
}

/** `npm run large-descriptor`. */
export function createLargeDescriptorCommand(): Command {
  return createCommand('large-descriptor')
    .description('Generates a connector from one OpenAPI file in a temporary folder, prints figures, and compiles it.')
    .argument('<descriptor>', 'an OpenAPI file')
    .option('--service <name>', 'name of the service', 'large')
    .option('--drift', 'also compile with every looked-up name changed, and count the errors that this gives')
    .option('--keep', 'keep the temporary folder')
    .action(run);
}

async function run(descriptor: string, options: LargeDescriptorOptions): Promise<void> {
  const root = await createLayout();
  try {
    if (!(await measure(root, descriptor, options))) throw new FailureError();
  } finally {
    if (options.keep) print(`Kept ${root}`);
    else await rm(root, { recursive: true, force: true });
  }
}

async function measure(root: string, file: string, { service, drift }: LargeDescriptorOptions): Promise<boolean> {
  const { size } = await stat(file);
  print(`descriptor ${(size / 1e6).toFixed(1)} MB`);
  await addService(root, service, file);
  const result = await generate({ root });
  reportTools(result);
  if (result.files.length === 0) return false;

  const options = { root, files: result.files, services: [service], known: [service] };
  await writeChanges(root, await compareGenerated(options));
  const bytes = result.files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  print(`written    ${result.files.length} files, ${(bytes / 1e6).toFixed(1)} MB`);
  print(`memory     ${Math.round(process.resourceUsage().maxRSS / 1000)} MB at its peak`);

  const again = await generate({ root });
  const changes = await compareGenerated({ ...options, files: again.files });
  print(`again      ${stageTimes(again)}; ${changes.length} files differ`);

  const errors = compile(root);
  for (const line of errors.slice(0, 20)) print(`           ${line.slice(0, 300)}`);
  return errors.length === 0 && changes.length === 0 && (!drift || (await reportDrift(root, service)));
}

function reportTools(result: GenerateResult): void {
  const [report] = result.services;
  const tools = report?.connector?.tools.length ?? 0;
  const notExposed = report?.connector?.notExposed ?? [];
  const operations = new Set(report?.connector?.tools.map(({ operation }) => `${operation.method} ${operation.path}`));
  print(`operations ${operations.size + notExposed.length}: ${tools} tools, ${notExposed.length} refused`);
  for (const { method, path: url, reason } of notExposed) print(`           ${method} ${url}: ${reason}`);
  for (const [kind, count] of countKinds(result)) print(`           ${count} × ${kind}`);
  for (const { file, line, message } of result.diagnostics
    .filter(({ severity }) => severity === 'error')
    .slice(0, 10)) {
    print(`           ${file}:${line ?? ''} ${message}`);
  }
  print(`codegen    ${stageTimes(result)}`);
}

function countKinds({ diagnostics }: GenerateResult): [kind: string, count: number][] {
  const kinds = Map.groupBy(diagnostics, ({ severity, code }) => `${severity} ${code}`);
  return [...kinds].map(([kind, group]): [string, number] => [kind, group.length]).sort(([a], [b]) => (a < b ? -1 : 1));
}

function stageTimes({ services }: GenerateResult): string {
  const stages = Object.entries(services[0]?.milliseconds ?? {});
  const total = stages.reduce((sum, [, milliseconds]) => sum + milliseconds, 0);
  return [...stages, ['total', total] as const]
    .map(([stage, time]) => `${stage} ${(time / 1000).toFixed(1)} s`)
    .join(', ');
}

/** @returns The lines of the errors. */
function compile(root: string): readonly string[] {
  const { errors, seconds, megabytes } = compileLayout(root);
  print(`tsc        ${seconds.toFixed(1)} s, ${megabytes} MB, ${errors.length} errors`);
  return errors;
}

/** Renames every name that a tool looks up in `schema.d.ts`: each must become an error of its own. */
async function reportDrift(root: string, service: string): Promise<boolean> {
  const folder = path.join(root, 'generated', service, 'tools');
  let names = 0;
  for (const file of await readdir(folder)) {
    const text = await readFile(path.join(folder, file), 'utf8');
    const drifted = text.replaceAll(
      /\b(?:(?:Path|Query|Header|Body)\[|BodyMember<Body, )(['"])[^'"]+(?=\1)/g,
      (lookup) => {
        names += 1;
        return `${lookup}__gone`;
      },
    );
    await writeFile(path.join(folder, file), drifted);
  }
  const found = compile(root).filter((line) => line.includes('__gone')).length;
  print(`drift      ${names} names changed, ${found} errors name them`);
  return found === names;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
