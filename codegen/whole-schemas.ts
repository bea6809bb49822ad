/** Input and output schemas of tools without size limits, read from `specs/`, to compare two sides. */

import { loadService } from './load/index.ts';
import { buildServiceModel } from './model/index.ts';
import { buildConnectorModel } from './tools/index.ts';

interface WholeSchemas {
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>>;
}

/** A service of `specs/`, before it becomes tools. */
export interface WholeService {
  /** The descriptor with local references only; null if it has errors. */
  readonly document: unknown;
  /** By tool name, without those that are not tools of the folder; empty if the descriptor has errors. */
  build(tools: ReadonlySet<string>): ReadonlyMap<string, WholeSchemas>;
}

/** @param root folder that holds `specs/` */
export async function loadWholeService(root: string, service: string): Promise<WholeService> {
  const loaded = await loadService({ root, service });
  return {
    document: loaded.document,
    build(tools) {
      if (loaded.document === null || tools.size === 0) return new Map();
      const { model } = buildServiceModel({ name: service, file: loaded.descriptorFile, ...loaded });
      const { connector } = buildConnectorModel(model, loaded.config, `specs/${service}/connector.yaml`, undefined, {
        whole: tools,
      });
      return new Map(
        connector.tools.map(({ name, inputSchema, outputSchema }) => [name, { inputSchema, outputSchema }] as const),
      );
    },
  };
}
