/**
 * The large-descriptor command: runs codegen on one large descriptor in a copy of the project's layout, and prints figures.
 */

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import ts from 'typescript';
import { formatPlace } from '../../codegen/diagnostics.ts';
import { type GenerateResult, generate } from '../../codegen/generate.ts';
import { compareGenerated, writeChanges } from '../../codegen/write.ts';
import { createCommand } from '../../shared/cli/command.ts';
import { FailureError } from '../../shared/cli/run.ts';
import { addService, compileLayout, createLayout } from './corpus/layout.ts';

interface LargeDescriptorOptions {
  readonly service: string;
  readonly drift?: boolean;
  readonly keep?: boolean;
}

/** `npm run lab -- large-descriptor`. */
export function createLargeDescriptorCommand(): Command {
  return createCommand('large-descriptor')
    .description('Generates a connector from one OpenAPI file in a temporary folder, prints figures, and compiles it.')
    .argument('<descriptor>', 'an OpenAPI file')
    .option('--service <name>', 'name of the service', 'large')
    .option('--drift', 'also compile each request once for each of its names, changed, and count the errors')
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
  await addService(root, service, { file });
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
  for (const { file, position, message } of result.diagnostics
    .filter(({ severity }) => severity === 'error')
    .slice(0, 10)) {
    print(`           ${formatPlace({ file, position })} ${message}`);
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

/** @returns the lines of the errors. */
function compile(root: string): readonly string[] {
  const { errors, seconds, megabytes } = compileLayout(root);
  print(`tsc        ${seconds.toFixed(1)} s, ${megabytes} MB, ${errors.length} errors`);
  return errors;
}

/** Changes each name in each request separately, each in its own file: every file must fail to compile. */
async function reportDrift(root: string, service: string): Promise<boolean> {
  const tools = path.join(root, 'generated', service, 'tools');
  const drifted = path.join(root, 'generated', service, 'drifted');
  await mkdir(drifted);
  let names = 0;
  for (const file of await readdir(tools)) {
    for (const request of withEachNameChanged(await readFile(path.join(tools, file), 'utf8'))) {
      names += 1;
      await writeFile(path.join(drifted, `${names}.ts`), request);
    }
  }
  const found = new Set(compile(root).map((line) => /drifted\/\d+\.ts/.exec(line)?.[0]));
  print(`drift      ${names} names changed, ${found.size} of them are errors`);
  return found.size === names && !found.has(undefined);
}

/** Variants of a tool file's request, each with one name from `schema.d.ts` changed: a place, a member or a type. */
function withEachNameChanged(text: string): string[] {
  const source = ts.createSourceFile('tool.ts', text, ts.ScriptTarget.Latest, true);
  const imports = source.statements.filter(ts.isImportDeclaration).map((statement) => statement.getText());
  const names: ts.Node[] = [];
  let request: ts.Expression | undefined;
  const visit = (node: ts.Node): void => {
    if (ts.isSatisfiesExpression(node)) {
      request = node;
      for (const place of membersOf(node.expression)) {
        const bindings =
          place.name.getText() === 'body' ? membersNamed(place, 'members') : membersOf(place.initializer);
        names.push(...bindings.map(({ name }) => (ts.isComputedPropertyName(name) ? name.expression : name)));
      }
      ts.forEachChild(node.type, visit);
    } else if (ts.isLiteralTypeNode(node)) names.push(node.literal);
    else ts.forEachChild(node, visit);
  };
  visit(source);
  const start = request?.getStart() ?? 0;
  return names.map((name) => {
    const at = name.getEnd() - (ts.isStringLiteral(name) ? 1 : 0);
    const changed = `${text.slice(start, at)}__gone${text.slice(at, request?.getEnd())}`;
    return `${imports.join('\n')}\nexport const request: Tool['request'] = ${changed};\n`;
  });
}

function membersOf(node: ts.Expression): ts.PropertyAssignment[] {
  return ts.isObjectLiteralExpression(node) ? node.properties.filter(ts.isPropertyAssignment) : [];
}

function membersNamed(owner: ts.PropertyAssignment, name: string): ts.PropertyAssignment[] {
  return membersOf(owner.initializer).flatMap((one) => (one.name.getText() === name ? membersOf(one.initializer) : []));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
