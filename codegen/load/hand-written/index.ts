/** Reads the hand-written tools of a service: their definitions as literals. Nothing is imported or run. */

import { hash } from 'node:crypto';
import path from 'node:path';
import ts from 'typescript';
import { z } from 'zod';
import type { Position, Problem } from '../../diagnostics.ts';
import { pointerTokens } from '../../json-pointer.ts';
import { findMember, memberName, objectMembers, parseSource, readLiteral } from '../../typescript-literal.ts';
import { toConfigProblems } from '../config-problems.ts';
import { argumentName, text, toolName } from '../config-values.ts';
import { listInside, readInside, type ServiceFolder } from '../service-folder.ts';
import { findForbiddenCode } from './forbidden-code.ts';

const FOLDER = 'tools';
const FILE_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*\.ts$/;
const CODE_DIGITS = 12;

const definitionSchema = z.strictObject({
  title: text,
  description: text,
  aliases: z.record(toolName, z.strictObject({ until: z.iso.date() })).optional(),
  uses: z.array(toolName).min(1),
  inputSchema: z.looseObject({
    type: z.literal('object'),
    properties: z.record(argumentName, z.looseObject({ description: text })),
    additionalProperties: z.literal(false),
  }),
  outputSchema: z.looseObject({ type: z.literal('object'), properties: z.record(z.string(), z.unknown()) }),
});

/** The definition of the tool without `run`. */
export type HandWrittenDefinition = z.infer<typeof definitionSchema>;

/** One file of `specs/<service>/tools/`. */
export interface HandWrittenFile {
  /** Path relative to the project's root. */
  readonly file: string;
  /** Name of the file without `.ts`: `wait-until-ready`. */
  readonly name: string;
  readonly definition: HandWrittenDefinition;
  /** SHA-256 of everything in the file except the members that other rules report, in 12 hexadecimal digits. */
  readonly code: string;
  /** Position of a member, or of its nearest existing parent. */
  locate(pointer: string): Position | null;
}

interface LoadedHandWritten {
  readonly tools: readonly HandWrittenFile[];
  readonly problems: readonly Problem[];
}

/** Sorted by name, without the files that have a problem. */
export async function loadHandWritten(folder: ServiceFolder): Promise<LoadedHandWritten> {
  const tools: HandWrittenFile[] = [];
  const problems: Problem[] = [];
  for (const entry of await listInside(folder, FOLDER)) {
    const file = `${folder.file}/${FOLDER}/${entry}`;
    const refuse = (message: string) => problems.push({ code: 'hand-written-file', file, pointer: '', message });
    if (!FILE_NAME.test(entry)) {
      refuse(`${JSON.stringify(entry)} cannot name a tool.`);
      continue;
    }
    const content = await readInside(folder, `${FOLDER}/${entry}`);
    if ('refused' in content) {
      refuse(content.message);
      continue;
    }
    const result = readFile(file, content.text.replaceAll('\r\n', '\n'), path.basename(folder.file));
    if ('problems' in result) problems.push(...result.problems);
    else tools.push({ ...result, file, name: entry.slice(0, -'.ts'.length) });
  }
  return { tools, problems };
}

type ReadResult = Pick<HandWrittenFile, 'definition' | 'code' | 'locate'> | { readonly problems: readonly Problem[] };

function readFile(file: string, source: string, service: string): ReadResult {
  const parsed = parseSource(file, source);
  const positionOf = (offset: number): Position => {
    const { line, character } = parsed.getLineAndCharacterOfPosition(offset);
    return { line: line + 1, column: character + 1 };
  };
  const forbiddenCode = findForbiddenCode(parsed, service);
  if (forbiddenCode.length > 0) {
    return {
      problems: forbiddenCode.map(({ code, message, position }) => {
        return { code, file, pointer: '', position: positionOf(position), message };
      }),
    };
  }
  const object = findDefinition(parsed);
  if (object === null) {
    const message = 'It has no `export const tool = defineTool({ ... })`, or another export.';
    return { problems: [{ code: 'hand-written-file', file, pointer: '', message }] };
  }
  const locate = (pointer: string) => positionOf(findMember(object, pointerTokens(pointer)).value.getStart(parsed));
  const { value, problems } = readDefinition(object, file);
  const result = definitionSchema.safeParse(value);
  const schemaProblems = result.success ? [] : toConfigProblems(result.error, definitionSchema, value, file);
  const unreportedProblems = schemaProblems.filter(
    ({ pointer }) => !problems.some((problem) => problem.pointer === pointer),
  );
  const allProblems = [
    ...problems,
    ...unreportedProblems.map((problem): Problem => ({ ...problem, code: 'hand-written-definition' })),
  ];
  if (!result.success || allProblems.length > 0) {
    return { problems: allProblems.map((problem) => ({ ...problem, position: locate(problem.pointer) })) };
  }
  // The schemas as written: parsing changes the order of their members.
  const { inputSchema, outputSchema } = value as HandWrittenDefinition;
  return { definition: { ...result.data, inputSchema, outputSchema }, code: toCode(source, object), locate };
}

/** The object of `export const tool = defineTool({ ... })`, if that is the only export. */
function findDefinition(source: ts.SourceFile): ts.ObjectLiteralExpression | null {
  const exported = source.statements.filter(
    (statement) =>
      ts.isExportDeclaration(statement) ||
      ts.isExportAssignment(statement) ||
      (ts.canHaveModifiers(statement) &&
        ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)),
  );
  const [only, other] = exported;
  if (only === undefined || other !== undefined || !ts.isVariableStatement(only)) return null;
  const [constant, more] = only.declarationList.declarations;
  const value = constant?.initializer;
  if (more !== undefined || value === undefined || !ts.isCallExpression(value)) return null;
  const isNamed = ts.isIdentifier(value.expression) && value.expression.text === 'defineTool';
  const [definition] = value.arguments;
  const isTool = constant !== undefined && ts.isIdentifier(constant.name) && constant.name.text === 'tool';
  return isNamed && isTool && definition !== undefined && ts.isObjectLiteralExpression(definition) ? definition : null;
}

/** The members except `run`, which is required. A member that is code is a problem. */
function readDefinition(object: ts.ObjectLiteralExpression, file: string) {
  const value: Record<string, unknown> = {};
  const problems: Problem[] = [];
  const addProblem = (pointer: string, message: string) =>
    problems.push({ code: 'hand-written-definition', file, pointer, message });
  let hasRun = false;
  for (const property of object.properties) {
    const name = property.name === undefined ? null : memberName(property.name);
    if (name === 'run') hasRun = true;
    else if (name === null || !ts.isPropertyAssignment(property)) addProblem('', 'A member is no `name: literal`.');
    else {
      const literal = readLiteral(property.initializer);
      if (literal === null) addProblem(`/${name}`, `"${name}" is code: codegen reads literals.`);
      value[name] = literal?.value;
    }
  }
  if (!hasRun) addProblem('', 'It has no `run`.');
  return { value, problems };
}

/** The code without its texts and schemas: the tool report compares those literals separately. */
function toCode(source: string, object: ts.ObjectLiteralExpression): string {
  const literalMembers = objectMembers(object).filter(([name]) => name !== 'uses' && name !== 'run');
  const codeText = literalMembers.reduceRight(
    (remainingText, [, { pos, end }]) => remainingText.slice(0, pos) + remainingText.slice(end),
    source,
  );
  return hash('sha256', codeText).slice(0, CODE_DIGITS);
}
