import { Node, SyntaxKind } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { arrows, files, pathOf } from './imports.ts';
import { IMPORT_RULES, serverFloorOf } from './rules.ts';

describe('import rules', () => {
  test('cover every source folder', () => {
    const roots = new Set(files.map((file) => pathOf(file).split('/')[0]));
    const folders = ['codegen', 'examples', 'generated', 'packages', 'sandbox', 'scripts', 'server', 'shared'];
    expect([...roots].sort()).toEqual(folders);
    expect(arrows.length).toBeGreaterThan(100);
  });

  test('place every folder and root file of server/ in a layer', () => {
    const found = files.map(pathOf).filter((path) => path.startsWith('server/') && serverFloorOf(path) < 0);
    expect(found).toEqual([]);
  });

  test.each(IMPORT_RULES.map((rule) => [rule.title, rule] as const))('%s', (title, rule) => {
    const found = arrows
      .filter((arrow) => rule.forbids(arrow))
      .map((arrow) => `${arrow.from}:${arrow.line} imports ${arrow.to}: ${title}`);
    expect(found).toEqual([]);
  });
});

function placesOf(paths: RegExp, kind: SyntaxKind.PropertyAccessExpression | SyntaxKind.CallExpression, text: RegExp) {
  return files
    .filter((file) => paths.test(pathOf(file)) && text.test(file.getFullText()))
    .flatMap((file) => file.getDescendantsOfKind(kind).map((node) => ({ file, node })))
    .map(({ file, node }) => {
      const named = Node.isCallExpression(node) ? node.getExpression() : node;
      return { path: pathOf(file), line: node.getStartLineNumber(), text: named.getText() };
    });
}

describe('ambient authority', () => {
  test('only server/config reads the environment in codegen/, sandbox/, server/ and shared/cli/', () => {
    const folders = /^(?!server\/config\/index\.ts$)(codegen|generated|sandbox|server|shared\/cli)\//;
    const accesses = placesOf(folders, SyntaxKind.PropertyAccessExpression, /process\.env/);
    expect(accesses.filter(({ text }) => text === 'process.env')).toEqual([]);
  });

  test('nothing in server/ calls the global fetch', () => {
    const calls = placesOf(/^server\//, SyntaxKind.CallExpression, /\bfetch\(/);
    expect(calls.filter(({ text }) => text === 'fetch' || text === 'globalThis.fetch')).toEqual([]);
  });

  test('only a main program, or that of a thread, does work at import time', () => {
    const programs = new Set([
      'server/main.ts',
      'server/base/store/call-writer.ts',
      'server/base/threads/thread.ts',
      'server/modules/code/code-runner.ts',
      'codegen/main.ts',
    ]);
    const found = files
      .filter(
        (file) => /^(codegen|generated|sandbox|server|shared\/cli)\//.test(pathOf(file)) && !programs.has(pathOf(file)),
      )
      .flatMap((file) =>
        file
          .getStatements()
          .filter(
            (statement) =>
              Node.isExpressionStatement(statement) ||
              Node.isIfStatement(statement) ||
              Node.isForOfStatement(statement),
          )
          .map(
            (statement) =>
              `${pathOf(file)}:${statement.getStartLineNumber()} runs at import time: ${statement.getText().slice(0, 60)}`,
          ),
      );
    expect(found).toEqual([]);
  });

  test('in server/, only server/command.ts listens and exits the process', () => {
    const calls = placesOf(/^server\/(?!command\.ts$)/, SyntaxKind.CallExpression, /process\.exit|\.listen\b/);
    expect(calls.filter(({ text }) => text === 'process.exit' || text.endsWith('.listen'))).toEqual([]);
  });
});
