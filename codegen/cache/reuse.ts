/** Finds the services that have not changed since their last run, so that they need not be generated again. */

import { hash } from 'node:crypto';
import type { GenerateResult, ServiceResult } from '../generate.ts';
import { hasHash, isAsEmitted } from '../write.ts';
import { fingerprintGenerator, fingerprintService, toHash } from './fingerprint.ts';
import {
  type LastRun,
  loadLastRun,
  type ServiceCounts,
  type ServiceRun,
  toRecordText,
  writeLastRun,
} from './last-run.ts';

interface ReuseOptions {
  readonly root: string;
  /** Services to look at. */
  readonly services: readonly string[];
  /** All folders of `specs/`. */
  readonly allServices: readonly string[];
  /** Folder of codegen's own sources. */
  readonly sources: string;
  /** ISO date. */
  readonly today: string;
}

export interface Reuse {
  /** The last run of each unchanged service, by name. */
  readonly services: ReadonlyMap<string, ServiceRun>;
  /** True if `generated/index.ts` is unchanged too. */
  readonly isIndexUnchanged: boolean;
  /** Paths of all files of these services: each is on disk as it was emitted. */
  readonly files: readonly string[];
  /** Records a run after its files are written, except for services whose input changed on disk during the run. */
  recordRun(result: GenerateResult): void;
}

export const NO_REUSE: Reuse = { services: new Map(), isIndexUnchanged: false, files: [], recordRun: () => {} };

const INDEX = 'generated/index.ts';

/**
 * A service is unchanged if codegen, its libraries and every file of its folder in `specs/` are the same as when it was
 * last generated without an error, and its folder in `generated/` holds exactly what was emitted then.
 */
export function findReusable(options: ReuseOptions): Reuse {
  const { root, services, allServices, today } = options;
  const keys = toKeys(options);
  const last = loadLastRun(root);
  const isCurrent = (service: string, { key, day, files }: ServiceRun): boolean =>
    key === keys.services.get(service) &&
    (day === null || day === today) &&
    isAsEmitted(root, `generated/${service}`, files);
  const reusable = services.flatMap((service): [string, ServiceRun][] => {
    const run = Object.hasOwn(last.services, service) ? last.services[service] : undefined;
    return run !== undefined && isCurrent(service, run) ? [[service, run]] : [];
  });
  const isIndexUnchanged =
    last.index !== null && last.index.key === keys.index && hasHash(root, INDEX, last.index.files[INDEX]);
  return {
    services: new Map(reusable),
    isIndexUnchanged,
    files: [...reusable.flatMap(([, { files }]) => Object.keys(files)), ...(isIndexUnchanged ? [INDEX] : [])],
    recordRun(result) {
      const after = toKeys(options);
      const generated = result.services.flatMap((report): [string, ServiceRun][] => {
        const key = keys.services.get(report.name) ?? null;
        return key === null || key !== after.services.get(report.name)
          ? []
          : [[report.name, toRun(report, key, today)]];
      });
      const earlierRuns = Object.entries(last.services).filter(([service]) => allServices.includes(service));
      const run: LastRun = {
        services: Object.fromEntries([...earlierRuns, ...generated]),
        index: keys.index === null || keys.index !== after.index ? null : toIndexRun(result, keys.index, last.index),
      };
      if (toRecordText(run) !== toRecordText(last)) writeLastRun(root, run);
    },
  };
}

function toKeys({ root, services, allServices, sources }: ReuseOptions) {
  const generator = fingerprintGenerator(sources);
  const keyOf = (service: string): string | null => {
    const inputs = generator === null ? null : fingerprintService(root, service);
    return inputs === null ? null : toHash([generator, service, inputs]);
  };
  return {
    services: new Map(services.map((service) => [service, keyOf(service)])),
    index: generator === null ? null : toHash([generator, ...allServices]),
  };
}

function toRun({ connector, files, diagnostics, isDated }: ServiceResult, key: string, today: string): ServiceRun {
  return {
    key,
    day: isDated ? today : null,
    files: Object.fromEntries(files.map(({ path, text }) => [path, hash('sha256', text)])),
    diagnostics,
    ...toCounts(connector),
  };
}

/** @param connector Null for a service with errors. */
export function toCounts(connector: ServiceResult['connector']): ServiceCounts {
  const notExposed = connector?.notExposed ?? [];
  return {
    tools: (connector?.tools.length ?? 0) + (connector?.handWritten.length ?? 0),
    notExposed: notExposed.length,
    refused: notExposed.filter(({ by }) => by === 'codegen').length,
  };
}

function toIndexRun({ files }: GenerateResult, key: string, last: LastRun['index']): LastRun['index'] {
  const index = files.find(({ path }) => path === INDEX);
  return index === undefined ? last : { key, files: { [INDEX]: hash('sha256', index.text) } };
}
