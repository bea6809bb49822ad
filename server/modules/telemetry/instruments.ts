/**
 * Every metric, as data: names, units and attributes of OpenTelemetry's semantic conventions (HTTP and databases v1.41, MCP as of the GenAI
 * conventions), and the gateway's own below `gateway.`.
 *
 * No attribute names a user, a partner, a client or an address, and each has few values: methods and routes of the gateway, services and
 * tools of its catalogue, outcomes, status codes.
 */

/** The description of a metric. Observed metrics are read when metrics are collected. */
export interface Instrument {
  readonly name: string;
  readonly kind: 'counter' | 'histogram' | 'observed counter' | 'observed up-down counter' | 'observed gauge';
  /** UCUM unit. */
  readonly unit: string;
  readonly description: string;
  readonly attributes: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const HTTP_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const MCP_SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const DATABASE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

const UPSTREAM = ['gateway.service', 'server.address', 'server.port'] as const;

export const INSTRUMENTS = {
  httpServerDuration: {
    name: 'http.server.request.duration',
    kind: 'histogram',
    unit: 's',
    description: 'Requests to the gateway, from their arrival until they were answered.',
    attributes: ['http.request.method', 'url.scheme', 'http.route', 'http.response.status_code', 'error.type'],
    buckets: HTTP_SECONDS,
  },
  httpServerActive: {
    name: 'http.server.active_requests',
    kind: 'observed up-down counter',
    unit: '{request}',
    description: 'Requests that are not answered yet, streams among them.',
    attributes: ['http.request.method', 'url.scheme'],
  },
  operationDuration: {
    name: 'mcp.server.operation.duration',
    kind: 'histogram',
    unit: 's',
    description: 'MCP requests and notifications, from their arrival until they were answered.',
    attributes: ['mcp.method.name', 'gen_ai.tool.name', 'error.type'],
    buckets: MCP_SECONDS,
  },
  toolCalls: {
    name: 'gateway.tool.calls',
    kind: 'counter',
    unit: '{call}',
    description: 'Calls of tools, by how they ended.',
    attributes: ['gateway.service', 'gen_ai.tool.name', 'gateway.outcome', 'gateway.outcome.category'],
  },
  limitRefusals: {
    name: 'gateway.limit.refusals',
    kind: 'counter',
    unit: '{refusal}',
    description:
      "Requests that a limit refused: a user's calls, a rule about calls, the cap of a connector, requests to an upstream, or those to a route.",
    attributes: ['gateway.limit', 'http.route'],
  },
  limitsAlone: {
    name: 'gateway.limit.alone',
    kind: 'observed up-down counter',
    unit: '{gateway}',
    description: '1 while this gateway counts limits alone, because the store of the shared counts does not answer.',
    attributes: [],
  },
  httpClientDuration: {
    name: 'http.client.request.duration',
    kind: 'histogram',
    unit: 's',
    description: 'Requests to upstreams for tools, each one that was sent.',
    attributes: [
      'http.request.method',
      'server.address',
      'server.port',
      'gateway.service',
      'http.response.status_code',
      'error.type',
    ],
    buckets: HTTP_SECONDS,
  },
  httpClientActive: {
    name: 'http.client.active_requests',
    kind: 'observed up-down counter',
    unit: '{request}',
    description: 'Requests to upstreams in progress.',
    attributes: UPSTREAM,
  },
  upstreamPending: {
    name: 'gateway.upstream.pending_requests',
    kind: 'observed up-down counter',
    unit: '{request}',
    description: 'Requests that wait because the most that their upstream may have are in progress.',
    attributes: UPSTREAM,
  },
  circuitState: {
    name: 'gateway.upstream.circuit.state',
    kind: 'observed gauge',
    unit: '{state}',
    description: 'Circuit breakers: 0 closed, 1 half-open, 2 open.',
    attributes: UPSTREAM,
  },
  circuitOpened: {
    name: 'gateway.upstream.circuit.opened',
    kind: 'counter',
    unit: '{opening}',
    description: 'How often circuit breakers opened.',
    attributes: UPSTREAM,
  },
  databaseDuration: {
    name: 'db.client.operation.duration',
    kind: 'histogram',
    unit: 's',
    description: 'Statements to the database.',
    attributes: ['db.system.name', 'db.operation.name', 'error.type'],
    buckets: DATABASE_SECONDS,
  },
  databaseConnections: {
    name: 'db.client.connection.count',
    kind: 'observed up-down counter',
    unit: '{connection}',
    description: 'Connections to the database server, by state.',
    attributes: ['db.client.connection.pool.name', 'db.client.connection.state'],
  },
  databaseConnectionsMax: {
    name: 'db.client.connection.max',
    kind: 'observed up-down counter',
    unit: '{connection}',
    description: 'Connections to the database server that there may be.',
    attributes: ['db.client.connection.pool.name'],
  },
  databasePending: {
    name: 'db.client.connection.pending_requests',
    kind: 'observed up-down counter',
    unit: '{request}',
    description: 'Statements that wait for a connection.',
    attributes: ['db.client.connection.pool.name'],
  },
  eventLoopDelayP50: eventLoopDelay('p50'),
  eventLoopDelayP99: eventLoopDelay('p99'),
  eventLoopDelayMax: eventLoopDelay('max'),
  eventLoopUtilization: {
    name: 'nodejs.eventloop.utilization',
    kind: 'observed gauge',
    unit: '1',
    description: 'Share of time in which the event loop worked, since the last reading.',
    attributes: [],
  },
  heapUsed: {
    name: 'v8js.memory.heap.used',
    kind: 'observed up-down counter',
    unit: 'By',
    description: 'Heap that objects take.',
    attributes: ['v8js.heap.space.name'],
  },
  heapLimit: {
    name: 'v8js.memory.heap.limit',
    kind: 'observed up-down counter',
    unit: 'By',
    description: 'Heap that was taken from the system.',
    attributes: ['v8js.heap.space.name'],
  },
  processMemory: {
    name: 'process.memory.usage',
    kind: 'observed up-down counter',
    unit: 'By',
    description: 'Resident memory.',
    attributes: [],
  },
  processCpu: {
    name: 'process.cpu.time',
    kind: 'observed counter',
    unit: 's',
    description: 'CPU time of all threads.',
    attributes: ['cpu.mode'],
  },
  processUptime: {
    name: 'process.uptime',
    kind: 'observed gauge',
    unit: 's',
    description: 'Time since the process started.',
    attributes: [],
  },
} as const satisfies Readonly<Record<string, Instrument>>;

function eventLoopDelay<Figure extends string>(figure: Figure) {
  return {
    name: `nodejs.eventloop.delay.${figure}`,
    kind: 'observed gauge',
    unit: 's',
    description: `How late the event loop was, since the last reading: ${figure}.`,
    attributes: [],
  } as const;
}
