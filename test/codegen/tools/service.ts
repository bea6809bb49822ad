/** Builds service models by hand, so that the tools stage is tested without reading a descriptor. */

import type { Problem } from '../../../codegen/diagnostics.ts';
import { type ConnectorConfig, connectorConfigSchema } from '../../../codegen/load/connector-config.ts';
import type {
  BodyModel,
  OperationModel,
  ParameterModel,
  ResponseModel,
  Schema,
  SecurityAlternative,
  ServiceModel,
} from '../../../codegen/model/types.ts';
import { buildConnectorModel } from '../../../codegen/tools/index.ts';
import type { ConnectorModel, ToolModel } from '../../../codegen/tools/types.ts';

/** An alternative of a security requirement: schemes without scopes. */
export function needs(...ids: string[]): SecurityAlternative {
  return ids.map((id) => ({ id, scopes: [] }));
}

/** A query parameter of type string unless told otherwise. */
export function parameter(name: string, over: Partial<ParameterModel> = {}): ParameterModel {
  const place = over.in ?? 'query';
  return {
    name,
    in: place,
    required: place === 'path',
    deprecated: false,
    description: `The ${name}.`,
    style: place === 'query' || place === 'cookie' ? 'form' : 'simple',
    explode: place === 'query' || place === 'cookie',
    allowReserved: false,
    mediaType: null,
    schema: { type: 'string' },
    pointer: `/parameters/${name}`,
    ...over,
  };
}

export function jsonBody(schema: Schema, over: Partial<BodyModel> & { readonly mediaType?: string } = {}): BodyModel {
  const { mediaType = 'application/json', ...rest } = over;
  return {
    required: true,
    description: '',
    contents: [{ mediaType, schema, pointer: '/body/content' }],
    pointer: '/body',
    ...rest,
  };
}

export function answer(schema: Schema | null, status = '200', mediaType = 'application/json'): ResponseModel {
  const contents = [{ mediaType, schema, pointer: '' }];
  return { status, headers: [], contents };
}

/** `GET /things` with the id `listThings` unless told otherwise. */
export function operation(over: Partial<OperationModel> = {}): OperationModel {
  const method = over.method ?? 'GET';
  const path = over.path ?? '/things';
  return {
    id: 'listThings',
    method,
    path,
    summary: 'List things',
    description: '',
    deprecated: false,
    tags: [],
    server: '{base_url}',
    parameters: [],
    body: null,
    responses: [],
    security: [],
    pointer: `/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`,
    faults: [],
    ...over,
  };
}

export interface ServiceOptions extends Partial<Omit<ServiceModel, 'resolve'>> {
  /** By pointer, such as `#/components/schemas/Node`. */
  readonly schemas?: Readonly<Record<string, Schema>>;
}

/** Operations without `security` and without `declaresSecurity` take the service's, as in a descriptor. */
export function service(declared: readonly OperationModel[], options: ServiceOptions = {}): ServiceModel {
  const { schemas = {}, security = [needs('token')], ...over } = options;
  const operations = declared.map((one) => {
    return one.security.length > 0 || one.declaresSecurity === true ? one : { ...one, security };
  });
  return {
    name: 'shop',
    file: 'specs/shop/openapi.yaml',
    openapi: '3.1',
    title: 'Shop',
    description: '',
    servers: [
      {
        url: '{base_url}',
        variables: [{ name: 'base_url', default: 'https://shop.example' }],
        pointer: '/servers/0',
      },
    ],
    securitySchemes: [{ id: 'token', type: 'bearer', description: '', pointer: '/components/securitySchemes/token' }],
    security,
    operations: operations.toSorted((a, b) => (`${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1)),
    resolve: (ref) => {
      const schema = schemas[ref];
      if (schema === undefined) throw new Error(`no ${ref}`);
      return schema;
    },
    eventNames: () => [],
    eventOf: () => null,
    ...over,
  };
}

/** What a connector.yaml parses to. */
export function config(input: Readonly<Record<string, unknown>> = {}): ConnectorConfig {
  return connectorConfigSchema.parse(input);
}

export interface Built {
  readonly connector: ConnectorModel;
  readonly problems: readonly Problem[];
  /** The only tool. */
  readonly tool: ToolModel;
  readonly codes: readonly string[];
}

export function build(model: ServiceModel, input: Readonly<Record<string, unknown>> = {}): Built {
  const { connector, problems } = buildConnectorModel(model, config(input), 'specs/shop/connector.yaml');
  return {
    connector,
    problems,
    codes: problems.map(({ code }) => code),
    get tool() {
      const [tool, ...others] = connector.tools;
      if (tool === undefined || others.length > 0) throw new Error(`${connector.tools.length} tools`);
      return tool;
    },
  };
}

/** The only tool of a service with one operation. */
export function buildOne(
  over: Partial<OperationModel>,
  input: Readonly<Record<string, unknown>> = {},
  options: ServiceOptions = {},
): Built {
  return build(service([operation(over)], options), input);
}

export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
}
