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

describe('ambient authority', () => {
  test('only server/config reads the environment in codegen/, sandbox/, server/ and shared/cli/', () => {
    const found = files
      .filter(
        (file) =>
          /^(codegen|generated|sandbox|server|shared\/cli)\//.test(pathOf(file)) &&
          pathOf(file) !== 'server/config/index.ts',
      )
      .flatMap((file) =>
        file
          .getDescendantsOfKind(SyntaxKind.PropertyAccessExpression)
          .filter((access) => access.getText() === 'process.env')
          .map((access) => `${pathOf(file)}:${access.getStartLineNumber()} reads process.env`),
      );
    expect(found).toEqual([]);
  });

  test('nothing in server/ calls the global fetch', () => {
    const found = files
      .filter((file) => pathOf(file).startsWith('server/'))
      .flatMap((file) =>
        file
          .getDescendantsOfKind(SyntaxKind.CallExpression)
          .filter(
            (call) =>
              call.getExpression().getText() === 'fetch' || call.getExpression().getText() === 'globalThis.fetch',
          )
          .map((call) => `${pathOf(file)}:${call.getStartLineNumber()} calls fetch`),
      );
    expect(found).toEqual([]);
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
    const found = files
      .filter((file) => pathOf(file).startsWith('server/') && pathOf(file) !== 'server/command.ts')
      .flatMap((file) =>
        file
          .getDescendantsOfKind(SyntaxKind.CallExpression)
          .filter(
            (call) =>
              call.getExpression().getText() === 'process.exit' || /\.listen$/.test(call.getExpression().getText()),
          )
          .map((call) => `${pathOf(file)}:${call.getStartLineNumber()} ${call.getExpression().getText()}`),
      );
    expect(found).toEqual([]);
  });
});
