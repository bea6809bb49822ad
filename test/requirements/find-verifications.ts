/** Finds the tests that declare to verify a requirement, without running them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '../..');

/** One `verifies(...)` of one test. */
export interface Verification {
  readonly id: string;
  /** Relative to the project's root, with `/`. */
  readonly file: string;
  /**
   * The titles of the test, outermost first; titles of tables with their placeholders, or with the title of
   * the row that names the requirement.
   */
  readonly titles: readonly string[];
}

/** Reads every test file below `test/`, files sorted by code unit. @throws {Error} for a `verifies` outside of a test. */
export function findVerifications(): Verification[] {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/golden/'))
    .sort();
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return text.includes('verifies(') ? findInFile(file, text) : [];
  });
}

function findInFile(file: string, text: string): Verification[] {
  const found: Verification[] = [];
  const visit = (node: ts.Node, titles: readonly string[]): void => {
    if (ts.isCallExpression(node)) {
      if (node.expression.getText() === 'verifies') {
        if (titles.length === 0) throw new Error(`${file}: verifies() is not inside a test`);
        for (const id of node.arguments.filter(ts.isStringLiteralLike)) found.push({ id: id.text, file, titles });
        return;
      }
      const title = titleOf(node);
      if (title !== null) {
        found.push(...findInRows(node, title).map((row) => ({ id: row.id, file, titles: [...titles, row.title] })));
        ts.forEachChild(node, (child) => visit(child, [...titles, title]));
        return;
      }
    }
    ts.forEachChild(node, (child) => visit(child, titles));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), []);
  return found;
}

/** The requirements in the last column of the rows of `test.each(rows)(title, ...)`, each with its row's title. */
function findInRows(call: ts.CallExpression, title: string): { readonly id: string; readonly title: string }[] {
  const rows = ts.isCallExpression(call.expression) ? call.expression.arguments[0] : undefined;
  if (rows === undefined || !ts.isArrayLiteralExpression(rows)) return [];
  return rows.elements.flatMap((row) => {
    const cells = ts.isArrayLiteralExpression(row) ? row.elements : [];
    const [name, id] = [cells[0], cells.at(-1)];
    if (!name || !id || !ts.isStringLiteralLike(name) || !ts.isStringLiteralLike(id)) return [];
    return /^(rfc\d{4}|mcp)-/.test(id.text) ? [{ id: id.text, title: title.replace('%s', () => name.text) }] : [];
  });
}

/** The title of a suite or test, or null for any other call. */
function titleOf(call: ts.CallExpression): string | null {
  const [title, ...rest] = call.arguments;
  const isNamed = title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title));
  if (!isNamed || !/^(test|it|describe)/.test(call.expression.getText()) || rest.length === 0) return null;
  return ts.isStringLiteralLike(title) ? title.text : title.getText().slice(1, -1);
}
