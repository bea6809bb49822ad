/** The large-descriptor command: whether the tools of one large descriptor are always the same, compile, and stop compiling when it changes. */

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import ts from 'typescript';
import { generate } from '../../codegen/generate.ts';
import { compareGenerated, writeChanges } from '../../codegen/write.ts';
import { createCommand } from '../../shared/cli/command.ts';
import { FailureError } from '../../shared/cli/run.ts';
import { addService, compileLayout, createLayout } from './corpus/layout.ts';

const SERVICE = 'large';

/** `npm run lab -- large-descriptor`. */
export function createLargeDescriptorCommand(): Command {
  return createCommand('large-descriptor')
    .description(
      'Generates a connector from one OpenAPI file in a temporary folder, twice, and compiles it; then once more for each name in each ' +
        'request, changed. Fails where the two differ, it does not compile, or a changed name does. For figures: corpus <file>.',
    )
    .argument('<descriptor>', 'an OpenAPI file')
    .action(run);
}

async function run(descriptor: string): Promise<void> {
  const root = await createLayout();
  try {
    await addService(root, SERVICE, { file: descriptor });
    const { files } = await generate({ root });
    if (files.length === 0) throw new FailureError('Nothing was generated: see corpus <file>.');
    const options = { root, files, services: [SERVICE], known: [SERVICE] };
    await writeChanges(root, await compareGenerated(options));
    const again = await compareGenerated({ ...options, files: (await generate({ root })).files });
    print(`again      ${again.length} files differ`);
    const errors = compile(root);
    for (const line of errors.slice(0, 20)) print(`           ${line.slice(0, 300)}`);
    if (errors.length > 0 || again.length > 0 || !(await reportDrift(root))) throw new FailureError();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** @returns the lines of the errors. */
function compile(root: string): readonly string[] {
  const { errors, seconds, megabytes } = compileLayout(root);
  print(`tsc        ${seconds.toFixed(1)} s, ${megabytes} MB, ${errors.length} errors`);
  return errors;
}

/** Changes each name in each request separately, each in its own file: every file must fail to compile. */
async function reportDrift(root: string): Promise<boolean> {
  const tools = path.join(root, 'generated', SERVICE, 'tools');
  const drifted = path.join(root, 'generated', SERVICE, 'drifted');
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
