/** swagger-parser without access to disk or network: it sees only files that were already read and checked. */

import SwaggerParser from '@apidevtools/swagger-parser';
import type { ServiceFiles } from './files.ts';

/** Our own URL scheme, so that the library takes no file for a path or an address. */
const BASE = 'specs://service/';

/** The base class of swagger-parser: it bundles any document, while swagger-parser refuses versions after 3.1.2. */
const Bundler = Object.getPrototypeOf(SwaggerParser) as typeof SwaggerParser;

/**
 * The descriptor with the content of all other files inlined at the first place that references it; every other
 * `$ref` becomes local (`#/...`). The descriptor's own object is changed in place and returned.
 *
 * @throws {Error} from the library, for references that `replaceBrokenReferences` would have replaced.
 */
export async function bundle(descriptor: string, files: ServiceFiles): Promise<unknown> {
  const root = files.get(descriptor)?.value as SwaggerParser['api'];
  const data = new WeakSet<object>();
  for (const { survey } of files.values()) {
    for (const { holder, isData } of survey.references) if (isData) data.add(holder);
  }
  const excludedPathMatcher = (_path: string, value?: unknown): boolean => data.has(value as object);
  return Bundler.bundle(urlOf(descriptor), root, {
    bundle: { excludedPathMatcher },
    resolveExcludedPathMatcher: excludedPathMatcher,
    resolve: {
      external: true,
      file: false,
      http: false,
      loaded: { order: 1, canRead: true, read: ({ url }: { url: string }) => contentOf(files, url) },
    },
    parse: {
      json: false,
      yaml: false,
      text: false,
      binary: false,
      loaded: { order: 1, canParse: true, allowEmpty: true, parse: ({ data }: { data: unknown }) => data },
    },
  } as SwaggerParser.Options);
}

function urlOf(file: string): string {
  return BASE + file.split('/').map(encodeURIComponent).join('/');
}

function contentOf(files: ServiceFiles, url: string): unknown {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const file = files.get(name);
  if (file === undefined) throw new Error(`${name} was not read.`);
  return file.value;
}
