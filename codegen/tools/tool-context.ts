/** Dependencies that the tools of one service share. */

import type { ConnectorConfig } from '../load/connector-config.ts';
import type { CredentialPlan } from './connector/credential.ts';
import type { PlannedTool } from './connector/exposure.ts';
import type { RequestPlanner } from './plan.ts';
import type { Reporter } from './problems.ts';
import type { UsedDefaults } from './request/fixed-and-omitted.ts';
import type { TextFinder } from './request/path-argument-text.ts';
import type { ReservedSegmentsOf } from './request/reserved-segments.ts';
import type { RefGraph } from './schema/refs.ts';
import type { ShapeReader } from './schema/relax.ts';
import type { SchemaFit } from './size-limits/index.ts';
import type { ToolModel } from './types.ts';

/** The decisions about a service that are made before its tools are built. */
export interface SharedDecisions {
  readonly config: ConnectorConfig;
  readonly credential: CredentialPlan;
  readonly scopesOf: (tool: PlannedTool) => ToolModel['scopes'];
  readonly graph: RefGraph;
  readonly report: Reporter;
  readonly fit: SchemaFit;
}

/** The inputs that all tools of a service share. */
export interface ToolContext extends SharedDecisions {
  readonly findText: TextFinder;
  readonly read: ShapeReader;
  readonly usedDefaults: UsedDefaults;
  readonly reservedSegmentsOf: ReservedSegmentsOf;
  readonly plan: RequestPlanner;
}
