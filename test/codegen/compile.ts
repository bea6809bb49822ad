/** Type-checks emitted files in memory, with the options that `generated/` is checked with. */

import path from 'node:path';
import ts from 'typescript';
import type { EmittedFile } from '../../codegen/emit/index.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

const parsed = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(ROOT, 'tsconfig.generated.json'), ts.sys.readFile).config,
  ts.sys,
  ROOT,
);

/** Parsed once for all programs of a test file: libraries, packages and `server/`. */
const shared = new Map<string, ts.SourceFile | undefined>();

/** `generated/notes/tools/notes-get.ts TS2339 Property 'x' does not exist ...`, one for each error; `[]` where all is well. */
/** @param sources Hand-written tools of `specs/`, which the emitted files import. */
export function compileGenerated(files: readonly EmittedFile[], sources: readonly EmittedFile[] = []): string[] {
  const texts = new Map([...files, ...sources].map((file) => [path.join(ROOT, file.path), file.text]));
  const host = createHost(texts);
  const roots = [...texts.keys()].filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  const program = ts.createProgram({ rootNames: roots, options: parsed.options, host });
  return ts.getPreEmitDiagnostics(program).map(({ file, code, messageText }) => {
    const place = file === undefined ? '' : path.relative(ROOT, file.fileName);
    return `${place} TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** Answers for `generated/` and `specs/` from memory alone, and for everything else from the disk. */
function createHost(texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const host = ts.createCompilerHost(parsed.options, true);
  const isGenerated = (file: string) =>
    ['generated', 'specs'].some((folder) => file.startsWith(path.join(ROOT, folder) + path.sep));
  return {
    ...host,
    fileExists: (file) => (isGenerated(file) ? texts.has(file) : host.fileExists(file)),
    directoryExists: (folder) => isGenerated(`${folder}${path.sep}`) || host.directoryExists?.(folder) === true,
    realpath: (file) => (isGenerated(file) ? file : (host.realpath?.(file) ?? file)),
    readFile: (file) => (isGenerated(file) ? texts.get(file) : host.readFile(file)),
    getSourceFile: (file, target, onError) => {
      const text = texts.get(file);
      if (text !== undefined) return ts.createSourceFile(file, text, target, true);
      if (isGenerated(file)) return undefined;
      if (!shared.has(file)) shared.set(file, host.getSourceFile(file, target, onError));
      return shared.get(file);
    },
  };
}
