/** Writes one TypeScript file. */

import type { EmittedFile } from './types.ts';

/** `import { names } from 'module';` A name may be `name as alias`. */
export function importOf(module: string, ...names: readonly string[]): string {
  return `import { ${names.join(', ')} } from '${module}';`;
}

/** `import type { names } from 'module';` */
export function typeImportOf(module: string, ...names: readonly string[]): string {
  return `import type { ${names.join(', ')} } from '${module}';`;
}

/** `export const name: type = value;` as its own paragraph; `value` keeps its indentation. */
export function exportedConstant(name: string, type: string, value: string): string {
  return `\nexport const ${name}: ${type} = ${value};`;
}

/** @param header First line, without `//`. */
export function toSourceFile(path: string, header: string, statements: readonly string[]): EmittedFile {
  return { path, text: `// ${[header, ...statements].join('\n')}\n` };
}
