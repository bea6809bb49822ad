/** swagger-parser, kept from the disk and the network: it sees only what was read and checked before. */

import SwaggerParser from '@apidevtools/swagger-parser';
import type { ServiceFiles } from './files.ts';

/** A scheme of our own, so that nothing in the library takes a file for a path or an address. */
const BASE = 'specs://service/';

/** What swagger-parser is built on: it bundles any document, where that refuses versions after 3.1.2. */
const Bundler = Object.getPrototypeOf(SwaggerParser) as typeof SwaggerParser;

/**
 * The descriptor with the content of all other files inlined at the first place that references it; every other
 * `$ref` becomes local (`#/...`). The descriptor's own object is changed in place and returned.
 *
 * @throws {Error} the library's, for references that `replaceBroken` would have replaced.
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
