/**
 * Reads the surfaces of all services from their emitted files: the committed literals, not what codegen would write
 * now.
 */

import { hash } from 'node:crypto';
import { byCodeUnit, isRecord } from '../../json.ts';
import { remember } from '../../remember.ts';
import {
  exportedObject,
  findMember,
  objectMembers,
  parseSource,
  ReadError,
  readLiteral,
} from '../../typescript-literal.ts';
import type { ServiceSurface, ToolSurface, UnexposedOperation } from '../types.ts';
import { readRequest } from './request.ts';

export { ReadError } from '../../typescript-literal.ts';

/** Texts by path, such as `generated/crm/index.ts`. */
export type FileTexts = ReadonlyMap<string, string>;

/** True if the report reads this file of a project. */
export function isReportFile(path: string): boolean {
  return /^generated\/[^/]+\/(index\.ts|skills\.ts|TOOLS\.md|tools\/[^/]+\.ts)$/.test(path);
}

interface SurfaceReader {
  /**
   * @returns Sorted by service.
   * @throws {ReadError} for a file that is not in the form that codegen writes.
   */
  read(files: FileTexts): ServiceSurface[];
}

/** Caches parsed files, so that a file which is the same on both sides is parsed once. */
export function createSurfaceReader(): SurfaceReader {
  const knownTools = new Map<string, ToolSurface>();
  const knownServices = new Map<string, Members>();
  const readTool = (file: string, text: string, server: string): ToolSurface =>
    remember(knownTools, hash('sha256', `${server}\n${file}\n${text}`), () => toToolSurface(file, text, server));
  const readService = (file: string, text: string): Members =>
    remember(knownServices, hash('sha256', `${file}\n${text}`), () => toServiceMembers(file, text));
  return {
    read(files) {
      const services = new Map<
        string,
        { index: string | null; page: string; skills?: string; tools: [file: string, text: string][] }
      >();
      for (const [file, text] of files) {
        if (!isReportFile(file)) continue;
        const [, name = '', kind] = file.split('/');
        const service = services.get(name) ?? { index: null, page: '', tools: [] };
        services.set(name, service);
        if (kind === 'index.ts') service.index = text;
        else if (kind === 'TOOLS.md') service.page = text;
        else if (kind === 'skills.ts') service.skills = text;
        else service.tools.push([file, text]);
      }
      return [...services]
        .filter(([, { index, tools }]) => index !== null || tools.length > 0)
        .map(([service, { index, page, skills, tools }]) => {
          const file = `generated/${service}/index.ts`;
          const members = index === null ? {} : readService(file, index);
          const server = firstServerOf(members);
          return {
            service,
            file,
            members,
            skills: skills === undefined ? {} : readMembers(`generated/${service}/skills.ts`, skills),
            tools: tools.map((tool) => readTool(...tool, server)).sort((a, b) => byCodeUnit(a.name, b.name)),
            notExposed: readNotExposed(page),
          };
        })
        .sort((a, b) => byCodeUnit(a.service, b.service));
    },
  };
}

function toToolSurface(file: string, text: string, server: string): ToolSurface {
  const { request, ...members } = withDefaults(readMembers(file, text), server);
  const { name, title, description, operation, annotations, inputSchema, outputSchema } = members;
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  if (request === undefined && 'call' in members) throw new ReadError(olderForm(file));
  if (
    typeof name !== 'string' ||
    ![annotations, inputSchema, outputSchema].every(isObject) ||
    !(isHandWritten(members) || (request !== undefined && isObject(operation)))
  ) {
    throw new ReadError(`${file} is not a tool file.`);
  }
  return {
    file,
    name,
    title: String(title ?? ''),
    description: String(description ?? ''),
    operation: (operation ?? null) as ToolSurface['operation'],
    annotations: annotations as ToolSurface['annotations'],
    inputSchema: inputSchema as ToolSurface['inputSchema'],
    outputSchema: outputSchema as ToolSurface['outputSchema'],
    members,
    ...readRequest(request ?? {}),
  };
}

/** Such a tool names the tools that it calls, and sends nothing itself. */
function isHandWritten({ uses, code }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(uses) && typeof code === 'string';
}

function olderForm(file: string): string {
  return (
    `${file} is in the form of an older codegen, whose calls were code, and cannot be compared. Copy specs/ of that side ` +
    'into a folder, run `npm run codegen -- --root <folder>`, and compare with --base-dir <folder>.'
  );
}

/** Without the lists of tools and skills and the rules of tools, and without what only orders the results of a search: `search` is of an older form. */
function toServiceMembers(file: string, text: string): Record<string, unknown> {
  const {
    tools: _,
    handWritten: __,
    search: ___,
    synonyms: ____,
    skills: _____,
    rules: ______,
    ...members
  } = readMembers(file, text);
  return members;
}

/** Literal values; a member that is code is kept as its text. */
function readMembers(file: string, text: string): Record<string, unknown> {
  const source = parseSource(file, text);
  const members: Record<string, unknown> = {};
  for (const [name, value] of objectMembers(exportedObject(source))) {
    const literal = readLiteral(value);
    members[name] = literal === null ? value.getText(source) : literal.value;
  }
  return members;
}

/**
 * One-based line of the member that these names lead to, or of its nearest existing parent.
 *
 * @throws {ReadError} if the file exports no object literal.
 */
export function locateMember(file: string, text: string, pointer: readonly (string | number)[]): number {
  const source = parseSource(file, text);
  const { member } = findMember(exportedObject(source), pointer);
  return source.getLineAndCharacterOfPosition(member.getStart(source)).line + 1;
}

type Members = Readonly<Record<string, unknown>>;

/** The server of tools that name none. @param service members of the connector */
function firstServerOf({ servers }: Members): string {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  return isRecord(first) ? String(first.url) : '';
}

/** @param server the server of a tool that names none */
function withDefaults({ operation, page, ...members }: Members, server: string): Record<string, unknown> {
  return {
    ...members,
    ...(operation === undefined ? {} : { operation: isRecord(operation) ? { server, ...operation } : operation }),
    ...(page === undefined ? {} : { page: isRecord(page) ? withPageDefaults(page) : page }),
  };
}

function withPageDefaults(page: Members): Members {
  const { argument, next, queryParameter = null, more = null, ...places } = page;
  if (page.kind === undefined) return { argument, next, queryParameter, more, ...places };
  return page.kind === 'last' ? { ...page, more } : page;
}

const ROW = /^\| (`+ ?)(\S+) (.*?)( ?`+) \| (.*) \| ((?:codegen|connector\.yaml)[^|]*) \|$/;

/** The rows under "Not exposed" that `emit/review-page.ts` writes; empty if the page has no such section. */
export function readNotExposed(page: string): UnexposedOperation[] {
  const start = page.indexOf('\n## Not exposed\n');
  if (start < 0) return [];
  const end = page.indexOf('\n## ', start + 4);
  const table = page.slice(start, end < 0 ? undefined : end);
  return table.split('\n').flatMap((line) => {
    const [, , method, path, , reason, by = ''] = ROW.exec(line) ?? [];
    if (method === undefined || path === undefined || reason === undefined) return [];
    return [
      { method, path: path.replaceAll('\\|', '|'), reason: plainText(reason), isOutside: by.endsWith('`expose`') },
    ];
  });
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\\([\\`*_{}[\]|~$@#.)+-])/g, '$1');
}
