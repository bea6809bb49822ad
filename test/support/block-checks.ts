/** Checks blocks of documents that are not run. Each check returns what is wrong, or an empty string. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AnySchemaObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import { connectorConfigSchema } from '../../codegen/load/connector-config.ts';
import { overlaySchema } from '../../codegen/load/overlay/read.ts';
import { parseRules } from '../../packages/portal/rules/load.ts';
import { listSettings } from '../../server/config/describe.ts';
import { MODULES } from '../../server/modules/index.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const API = 'docs/reference/gateway-openapi.yaml';

/** Checks the settings that a block assigns. */
export function checkAssignments(assignments: readonly (readonly [name: string, value: string])[]): string {
  const readers = new Map(listSettings(MODULES).map(({ variable, read }) => [variable, read]));
  return assignments
    .filter(([name, value]) => readers.get(name.replace(/_FILE$/, ''))?.safeParse(value).success !== true)
    .map(([name, value]) => `${name}=${value} is no setting of the gateway`)
    .join('; ');
}

export function checkJson(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Checks fragments of connector.yaml, and overlays. A file for another program cannot be checked and needs a reason. */
export function checkYaml(text: string): string {
  return parseAllDocuments(text)
    .flatMap((document) => {
      if (document.errors.length > 0) return document.errors.map(({ message }) => message);
      const value: unknown = document.toJS() ?? {};
      if (typeof value === 'object' && value !== null && 'groups' in value) return problemsOfRules(text);
      const isOverlay = typeof value === 'object' && value !== null && 'overlay' in value;
      const { error } = (isOverlay ? overlaySchema : connectorConfigSchema).safeParse(value);
      return error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
    })
    .join('; ');
}

function problemsOfRules(text: string): string[] {
  try {
    parseRules(text, 'portal-rules.yaml');
    return [];
  } catch (error) {
    return [String(error)];
  }
}

const SOURCES = ['examples', 'generated', 'specs', 'test/golden'];
let sources: readonly string[] | undefined;

/** Removes whatever the formatter may add. */
const unformatted = (text: string) => text.replaceAll(/\s+/g, '').replaceAll(/,(?=[}\])])/g, '');

/** Accepts an excerpt of a project file, or a module in `examples/` without type errors. JavaScript only has to parse. */
export function checkScript(text: string, language: string): string {
  sources ??= SOURCES.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => unformatted(readFileSync(path.join(ROOT, folder, name), 'utf8'))),
  );
  const shown = unformatted(text).replace(/,$/, '');
  if (sources.some((source) => source.includes(shown))) return '';
  const isTyped = language === 'ts';
  return toText(
    isTyped ? findTypeErrors(text) : (ts.transpileModule(text, { reportDiagnostics: true }).diagnostics ?? []),
  );
}

/** Caches parsed files, mostly the standard library. */
const parsed = new Map<string, ts.SourceFile | undefined>();

function findTypeErrors(text: string): readonly ts.Diagnostic[] {
  const name = path.join(ROOT, 'examples', 'documented-block.ts');
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [name] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (file) => (file === name ? text : readFile(file));
  host.fileExists = (file) => file === name || fileExists(file);
  host.getSourceFile = (file, version) => {
    if (file !== name && parsed.has(file)) return parsed.get(file);
    const content = host.readFile(file);
    const source = content === undefined ? undefined : ts.createSourceFile(file, content, version);
    if (file !== name) parsed.set(file, source);
    return source;
  };
  const program = ts.createProgram([name], { ...options, noEmit: true }, host);
  const source = program.getSourceFile(name);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
}

function toText(diagnostics: readonly ts.Diagnostic[]): string {
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')).join('; ');
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, AnySchemaObject>> };
}

/** Checks a request to the gateway, or a webhook from it, against the gateway's OpenAPI description. */
export function checkHttp(text: string): string {
  const { paths, components } = parse(readFileSync(path.join(ROOT, API), 'utf8')) as Description;
  const [head = '', body = ''] = text.split(/\n\n([\s\S]*)/);
  const [, method = '', target = ''] = /^([A-Z]+) (\S+)/.exec(head) ?? [];
  const wrong = body.trim() === '' ? '' : checkJson(body);
  if (wrong !== '') return wrong;
  if (/^webhook-id:/im.test(head)) return validate(components.schemas.Event ?? {}, JSON.parse(body));
  const asked = target.replace(/\?.*/, '').split('/');
  const isKnown = Object.entries(paths).some(([route, item]) => {
    const parts = route.split('/');
    const isAlike =
      parts.length === asked.length && parts.every((part, index) => /^\{|^$/.test(part) || part === asked[index]);
    return isAlike && method.toLowerCase() in item;
  });
  return isKnown ? '' : `${method} ${target} is not in ${API}`;
}

function validate(schema: AnySchemaObject, value: unknown): string {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.validate(schema, value) ? '' : ajv.errorsText();
}
