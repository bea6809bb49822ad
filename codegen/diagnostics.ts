/**
 * Codegen's diagnostics for developers: values with a stable code, a place and a fix. One catalogue, so one long file.
 */

import { byCodeUnit } from './json.ts';
export type Severity = 'error' | 'warning' | 'info';

/** A place in a text; both are one-based, and columns count UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A problem without its place in the text: `toDiagnostic` adds it. */
export interface Problem {
  readonly code: DiagnosticCode;
  /** Path relative to the project's root, such as `specs/retrieval/openapi.yaml`. */
  readonly file: string;
  /** RFC 6901 pointer into `file`; empty for the whole file. */
  readonly pointer: string;
  /** Only if no pointer leads to the place, as in a text that does not parse. */
  readonly position?: Position;
  /** What is wrong here, with names and values. */
  readonly message: string;
  /** Overrides the catalogue's general fix. */
  readonly fix?: string;
}

export interface Diagnostic extends Omit<Problem, 'position'> {
  readonly severity: Severity;
  /** Of the key or item in question, or of its nearest existing parent; null if no text contains the place. */
  readonly position: Position | null;
  readonly fix: string;
}

/** Finds a place in a file that was read. */
export type Locate = (file: string, pointer: string) => Position | null;

interface DiagnosticDoc {
  readonly severity: Severity;
  readonly title: string;
  readonly cause: string;
  readonly fix: string;
}

/** Every code with its documentation: a code without one does not compile. */
export const DIAGNOSTICS = {
  'descriptor-missing': {
    severity: 'error',
    title: 'A folder of specs/ has no descriptor',
    cause: 'There is no openapi.yaml, openapi.yml or openapi.json.',
    fix: 'Add the descriptor, or remove the folder.',
  },

  'service-name': {
    severity: 'error',
    title: 'A folder of specs/ has a name that cannot name tools',
    cause: 'The name becomes the prefix of tool names and a part of file, identifier and environment names.',
    fix: 'Rename it: lower-case words of letters and digits joined by single hyphens, a letter first, at most 32 characters.',
  },
  'service-missing': {
    severity: 'error',
    title: 'specs/ has no folder of that name',
    cause: 'Codegen was asked for a service that is not there.',
    fix: 'Name a folder of specs/.',
  },
  'descriptor-ambiguous': {
    severity: 'error',
    title: 'A folder of specs/ has several descriptors',
    cause: 'There is more than one of openapi.yaml, openapi.yml and openapi.json.',
    fix: 'Keep one of them.',
  },
  'file-outside': {
    severity: 'error',
    title: 'A file lies outside its service folder',
    cause: 'The path, or a symbolic link on it, leaves specs/<service>/. Nothing outside is read.',
    fix: 'Copy the file into the folder.',
  },
  'file-unreadable': {
    severity: 'error',
    title: 'A file cannot be read',
    cause: 'It is missing, not a regular file, too large, not UTF-8, or this user may not read it.',
    fix: 'Fix the file, or the name by which it is referenced.',
  },
  syntax: {
    severity: 'error',
    title: 'A file is not valid YAML or JSON',
    cause: 'The text does not parse, repeats a key, or expands its aliases beyond all bounds.',
    fix: 'Fix the text at this line.',
  },
  'document-value': {
    severity: 'error',
    title: 'A document holds a value that JSON cannot express',
    cause:
      'Descriptors and connector.yaml are JSON documents written in YAML: no NaN, no infinity, no cycles, no bottomless nesting.',
    fix: 'Replace the value.',
  },
  'openapi-version': {
    severity: 'error',
    title: 'The descriptor is not OpenAPI 3.0, 3.1 or 3.2',
    cause: '`openapi` must be a string such as "3.0.4" or "3.1.2".',
    fix: 'Convert the descriptor to OpenAPI 3.1, or correct its version.',
  },
  'descriptor-unusable': {
    severity: 'error',
    title: 'The descriptor has no operations that can be read',
    cause: 'It or its `paths` is not an object, or its files cannot be joined.',
    fix: 'Correct the descriptor, or ask the upstream for one that its own tools can read.',
  },
  'codegen-defect': {
    severity: 'error',
    title: 'Codegen failed on a service',
    cause: 'A bug in codegen. The other services are generated; the files of this one stay as they are.',
    fix: 'Report it with the descriptor.',
  },
  'service-too-large': {
    severity: 'error',
    title: 'A service needs too much time or memory',
    cause:
      'It has too many operations, or its schemas are too large. The other services are generated; the files of this one stay as they are.',
    fix: 'Expose only the operations that are needed (expose in connector.yaml), leave out the named one (notExposed), or take it out of the descriptor with an overlay. If memory is the limit, give it more: NODE_OPTIONS=--max-old-space-size=8192.',
  },
  'openapi-invalid': {
    severity: 'warning',
    title: 'The descriptor breaks the OpenAPI specification',
    cause: 'An operation uses this place, and no request can be built from it. What no operation uses is not checked.',
    fix: 'Correct the descriptor at this place.',
  },
  'descriptor-repaired': {
    severity: 'warning',
    title: 'A fault of the descriptor is read as its author meant it',
    cause: 'It breaks the OpenAPI specification, or YAML, but the intent is clear. The message says what is assumed.',
    fix: 'Nothing, if the assumption is right. Otherwise correct the descriptor at this place.',
  },
  'reference-network': {
    severity: 'warning',
    title: 'A `$ref` leads to the network',
    cause:
      'Codegen reads no network: what it generates would change without a commit. Operations that need the reference do not become tools.',
    fix: 'Copy the document into specs/<service>/ and reference it by a relative path.',
  },
  'overlay-invalid': {
    severity: 'error',
    title: 'The overlay cannot be read',
    cause: 'It is not an OpenAPI Overlay 1.0 or 1.1, or a `target` or `copy` in it is not a JSONPath query (RFC 9535).',
    fix: 'Correct the overlay at this place.',
  },
  'overlay-unused': {
    severity: 'warning',
    title: 'An action of the overlay changes nothing',
    cause: 'The descriptor has nothing at its `target`, or what is there is of another kind than the update.',
    fix: 'Remove the action if the upstream has repaired its descriptor. Otherwise correct its `target`.',
  },
  'reference-outside': {
    severity: 'warning',
    title: 'A `$ref` leads out of specs/<service>/',
    cause:
      'A descriptor reaches only the files of its folder: any other file of this machine would end up in generated code. Operations that need the reference do not become tools.',
    fix: 'Copy the file into specs/<service>/ and reference it by a relative path.',
  },
  'reference-unresolved': {
    severity: 'warning',
    title: 'A `$ref` leads nowhere',
    cause:
      'The file or the place in it does not exist, or the references form a circle. Operations that need the reference do not become tools.',
    fix: 'Correct the reference, or add what it names.',
  },
  'schema-id-ignored': {
    severity: 'warning',
    title: 'A schema has an `$id`',
    cause: 'References are resolved against the file that contains them, never against an `$id`.',
    fix: 'Remove `$id`, and write references as relative paths and JSON pointers.',
  },
  'config-invalid': {
    severity: 'error',
    title: 'connector.yaml is not as expected',
    cause: 'A key is unknown, a value has the wrong type, or two settings contradict each other.',
    fix: 'Correct it at this place. Editors complete the file through codegen/load/connector.schema.json.',
  },
  'config-misnamed': {
    severity: 'error',
    title: 'A file looks like connector.yaml and is not read',
    cause: 'The decisions about a service are read from connector.yaml only.',
    fix: 'Rename the file to connector.yaml.',
  },

  'config-operation-unknown': {
    severity: 'error',
    title: 'connector.yaml names an operation that the descriptor does not have',
    cause: 'The operationId, or the method and path, is misspelt or the upstream removed the operation.',
    fix: 'Name an operation by its operationId or as "GET /path".',
  },
  'config-exposure-conflict': {
    severity: 'error',
    title: 'An operation is both a tool and not exposed',
    cause: 'connector.yaml has tools on the operation and names it under notExposed.',
    fix: 'Remove one of the two.',
  },
  'config-tool-refused': {
    severity: 'error',
    title: 'connector.yaml asks for a tool that codegen cannot build',
    cause: 'The operation needs something that is not supported.',
    fix: 'Remove the tool, and name the operation under notExposed with the reason.',
  },
  'config-optional-body': {
    severity: 'error',
    title: '`optionalBody` speaks of a body that cannot be left out',
    cause: 'The operation has no body, or the descriptor requires it.',
    fix: 'Remove `optionalBody`.',
  },
  'config-argument-unknown': {
    severity: 'error',
    title: 'connector.yaml describes an argument that the tool does not have',
    cause: 'No parameter or body member has that camelCase name, and no `wire` says where the value travels.',
    fix: 'Correct the name, or add `wire`.',
  },
  'config-argument-unused': {
    severity: 'error',
    title: 'An argument of connector.yaml does nothing',
    cause: 'It is not sent, is not checked with mustEqual, and names no key.',
    fix: 'Remove it, or say what it is for.',
  },
  'config-wire-unknown': {
    severity: 'error',
    title: 'connector.yaml names a place on the wire that the operation does not have',
    cause: 'No parameter or body member of that name is in that place.',
    fix: 'Correct the place and the wire name.',
  },
  'config-wire-conflict': {
    severity: 'error',
    title: 'connector.yaml uses one place on the wire twice',
    cause: 'Two arguments, or an argument and `fixed` or `omit`, claim the same place.',
    fix: 'Keep one of them.',
  },
  'config-required-omitted': {
    severity: 'error',
    title: 'connector.yaml leaves out a required parameter',
    cause: 'The upstream would refuse every call.',
    fix: 'Offer the parameter, or give it a value under `fixed`.',
  },
  'config-constraint': {
    severity: 'error',
    title: 'A constraint of connector.yaml cannot hold',
    cause: 'It does not fit the type of the argument, or it is not valid JSON Schema.',
    fix: 'Correct the constraint.',
  },
  'config-dynamic-name': {
    severity: 'error',
    title: 'A parameter name chosen at run time is not safe',
    cause: 'The argument that names it is missing, optional, or not bounded by a pattern.',
    fix: 'Declare the naming argument with `sent: false`, `required: true` and an anchored `pattern`.',
  },
  'config-agreement': {
    severity: 'error',
    title: 'A mustEqual template cannot be checked',
    cause: 'It names no argument, or one that the tool does not have.',
    fix: 'Use {argument} for each argument that the value must agree with.',
  },
  'config-unused': {
    severity: 'error',
    title: 'A default or an accepted rule of connector.yaml applies to no tool',
    cause: 'No tool has the argument or the place that it names, or breaks the rule.',
    fix: 'Correct the name, or remove the entry.',
  },
  'config-hint-unchanged': {
    severity: 'error',
    title: 'A hint of connector.yaml changes nothing',
    cause: 'It equals the default of the HTTP method, so its reason explains nothing.',
    fix: 'Remove the hint.',
  },
  'config-hint-contradiction': {
    severity: 'error',
    title: 'The hints of a tool contradict each other',
    cause: 'A tool that only reads cannot be destructive.',
    fix: 'Set destructiveHint to false, or readOnlyHint to false.',
  },
  'config-pagination': {
    severity: 'error',
    title: 'A pagination rule of connector.yaml cannot work',
    cause: 'The tool has no such argument, or the answer has no such place.',
    fix: 'Name an argument of the tool and pointers into its 2xx answer; `pagination: null` means no pages.',
  },
  'config-keep': {
    severity: 'error',
    title: '`keep` of connector.yaml names what the answer does not have',
    cause: 'A path of it leads to no member of the 2xx answers.',
    fix: 'Write dotted names of members, without arrays: `data.owner.name`.',
  },
  'config-gateway-arguments': {
    severity: 'error',
    title: 'A tool cannot take an argument of the gateway',
    cause:
      'fields and resume are for tools that read, maxItems for tools whose pages can be followed, and none of them may have the name of an argument of the service.',
    fix: 'Take it out of `gatewayArguments`.',
  },
  'config-rows': {
    severity: 'error',
    title: 'A rows rule of connector.yaml cannot work',
    cause: 'The answer has no such place.',
    fix: 'Name pointers into the 2xx answer.',
  },
  'config-scheme-unknown': {
    severity: 'error',
    title: 'connector.yaml names a security scheme that cannot be used',
    cause: 'The descriptor does not have it, or it is of a kind that is not supported.',
    fix: 'Name a security scheme of the descriptor, or describe the credential with `parts`.',
  },
  'config-credential': {
    severity: 'error',
    title: 'The credential of connector.yaml contradicts itself',
    cause:
      'Both `schemes` and `parts` are given, two parts of a kind use one id or one header, or no connection could be told to be of a kind.',
    fix: 'Keep one of them.',
  },
  'config-oauth2': {
    severity: 'error',
    title: 'OAuth 2.0 of connector.yaml cannot work',
    cause: 'An endpoint is missing or is not https, or a parameter is set that the gateway sets itself.',
    fix: 'Say it under credential.oauth2, by security scheme, or in the part of `parts`.',
  },
  'config-scopes': {
    severity: 'error',
    title: 'connector.yaml names scopes that nothing asks for',
    cause: 'No kind of credential of the service is OAuth 2.0, or every tool has scopes of its own.',
    fix: 'Remove the scopes, or describe OAuth 2.0 under credential.',
  },
  'config-account': {
    severity: 'error',
    title: 'The name of the connected account cannot be read',
    cause: 'The tool does not exist, changes data, does not accept the arguments, or answers without such a place.',
    fix: 'Name a tool that only reads, with arguments that its input schema accepts, and pointers into its answer.',
  },
  'scope-unlisted': {
    severity: 'warning',
    title: 'A tool needs a scope that its security scheme does not list',
    cause: 'The upstream may refuse the whole sign-in over one unknown scope.',
    fix: 'Check the name, and say what the tool needs under `scopes` in connector.yaml.',
  },
  'config-server-variable': {
    severity: 'error',
    title: 'A server variable of connector.yaml cannot be used',
    cause: 'The descriptor has no such variable, or `derive` names none.',
    fix: 'Name a variable of the descriptor; a server without variables has base_url.',
  },
  'config-verify': {
    severity: 'error',
    title: 'The call that verifies a credential cannot be made',
    cause: 'The tool does not exist, changes data, or does not accept the arguments.',
    fix: 'Name a tool that only reads, with arguments that its input schema accepts.',
  },
  'hand-written-file': {
    severity: 'error',
    title: 'A file of tools/ is not a hand-written tool',
    cause: 'Codegen reads the definition without running it, so the file must have one form.',
    fix: 'Name it like `wait-until-ready.ts`, and let its only export be `export const tool = defineTool({ ... })`.',
  },
  'hand-written-import': {
    severity: 'error',
    title: 'A hand-written tool bypasses the gateway',
    cause:
      'It may only call generated tools, through the second argument of `run`: rights, pins and limits are enforced there.',
    fix: 'Import `defineTool` from generated/<service>/define-tool.ts, `createClient` from its client.ts, types of its schema.d.ts and of the contract, and nothing else.',
  },
  'hand-written-definition': {
    severity: 'error',
    title: 'A hand-written tool is not defined as expected',
    cause: 'A member is missing, unknown, of the wrong type, or code in place of a literal.',
    fix: 'Correct it at this place; docs/guides/hand-written-tools.md shows the form.',
  },
  'hand-written-uses': {
    severity: 'error',
    title: 'A hand-written tool uses a tool that is not generated',
    cause: '`uses` names generated tools of the same service; its hints and scopes follow from them.',
    fix: 'Name generated tools, each once.',
  },
  'hand-written-name': {
    severity: 'error',
    title: 'A hand-written tool has the name of another tool',
    cause: 'Its name is the prefix of the service and the name of its file: a call would be ambiguous.',
    fix: 'Rename the file, or the alias.',
  },
  'config-logo': {
    severity: 'error',
    title: 'A logo cannot be used',
    cause:
      'Pages show PNG, JPEG, WebP and GIF images of at most 65,536 bytes. The bytes of the file decide, not its name.',
    fix: 'Put such an image next to connector.yaml, or remove `logo`.',
  },
  'config-alias': {
    severity: 'error',
    title: 'An old name of a tool names something else',
    cause: 'A tool has that name, or another tool has that alias: a call would be ambiguous.',
    fix: 'Remove the alias.',
  },
  'config-alias-ended': {
    severity: 'warning',
    title: 'An old name of a tool is past its date',
    cause: 'It still works, because the gateway serves what was generated.',
    fix: 'Remove the alias, or give it more time.',
  },
  'server-url-invalid': {
    severity: 'error',
    title: 'A server URL is not an absolute http or https URL',
    cause: 'A relative URL, or a variable without a usable default.',
    fix: 'Give the variable a default under serverVariables in connector.yaml.',
  },
  'operation-server-invalid': {
    severity: 'warning',
    title: 'An operation did not become a tool, because its own server has no usable URL',
    cause: 'A relative URL, or a variable without a usable default, that other operations do not use.',
    fix: 'Give the variable a default under serverVariables in connector.yaml.',
  },
  'operation-refused': {
    severity: 'warning',
    title: 'An operation did not become a tool',
    cause: 'It needs something that is not supported.',
    fix: 'Name it under notExposed in connector.yaml with the reason, to say that this is known.',
  },
  'operation-unlisted': {
    severity: 'warning',
    title: 'Operations are neither listed nor ruled out',
    cause: 'connector.yaml exposes listed operations only, and says nothing about these.',
    fix: 'Add tools on them, or name them under notExposed with the reason.',
  },
  'config-only-unmatched': {
    severity: 'error',
    title: '`only` names what the descriptor does not have',
    cause: 'No operation has this id, path or tag, or none matches all that `only` says.',
    fix: 'Correct it, or remove it from `only`.',
  },
  'operation-undescribed': {
    severity: 'warning',
    title: 'An operation has no text',
    cause: 'Neither summary nor description: a model cannot tell what the tool does.',
    fix: 'Write a description for the tool in connector.yaml.',
  },
  'argument-undescribed': {
    severity: 'warning',
    title: 'Arguments of a tool have no description',
    cause: 'Neither the descriptor nor connector.yaml says what they mean.',
    fix: 'Write a description for each in connector.yaml.',
  },
  'argument-name-collision': {
    severity: 'warning',
    title: 'Several values of an operation need the same argument name',
    cause: 'Their wire names are alike, or alike in different places.',
    fix: 'Name them in connector.yaml with `wire`.',
  },
  'parameter-left-out': {
    severity: 'warning',
    title: 'A tool does not offer an optional parameter, or an optional member of a body',
    cause: 'It cannot be written on the wire, for the reason that the message gives.',
    fix: 'Name it under omit in connector.yaml, to say that this is known.',
  },
  'parameter-nested': {
    severity: 'warning',
    title: 'A parameter holds values that OpenAPI defines no form for',
    cause: 'A style says how to write an array or an object, and not what is inside its elements.',
    fix: 'Check how the upstream reads them. If it reads another form, name the parameter under omit in connector.yaml.',
  },
  'profile-refused': {
    severity: 'error',
    title: 'A client refuses a tool, or every list with this tool in it',
    cause: 'The tool breaks a rule of that client. The rules with their sources are in codegen/tools/profiles.',
    fix: 'Change the tool in connector.yaml, or accept the rule under profiles.accept, with the reason.',
  },
  'profile-degraded': {
    severity: 'warning',
    title: 'A tool works less well in a client',
    cause:
      'It breaks a rule that costs something there: a cut text, a name that leaves little room, a lost constraint.',
    fix: 'Change the tool in connector.yaml, or accept the rule under profiles.accept, with the reason.',
  },
  'tool-name-collision': {
    severity: 'warning',
    title: 'Several operations need the same tool name',
    cause: 'Their names are alike once they are in snake_case, or a tool of connector.yaml has the name already.',
    fix: 'Name these tools in connector.yaml.',
  },
  'body-ambiguous': {
    severity: 'warning',
    title: 'A request body can be sent in several forms',
    cause: 'Several media types with different schemas, or alternatives at the root of its schema.',
    fix: 'Describe the tool in connector.yaml so that a model knows which form to send.',
  },
  'pattern-dropped': {
    severity: 'warning',
    title: 'A pattern of the descriptor cannot be served',
    cause:
      'It is not an ECMA-262 expression with the `u` flag, or it has no form that runs in linear time: backreferences, lookahead, lookbehind, or counts over 1000.',
    fix: 'Give the argument a `pattern` in connector.yaml that says the same without them, or `maxLength` and `enum`.',
  },
  'input-schema-shortened': {
    severity: 'info',
    title: 'Texts of an input schema are cut',
    cause: 'The input schema was over its budget: a model reads all of it with every list of tools.',
    fix: 'Write shorter descriptions in connector.yaml, name arguments under omit, or give an argument a plainer `schema`.',
  },
  'input-schema-opened': {
    severity: 'warning',
    title: 'Parts of an input schema are left open',
    cause: 'It was over its budget with short texts too: the deepest and largest parts accept anything.',
    fix: 'Give these arguments a plainer `schema` in connector.yaml, or name what nobody needs under omit.',
  },
  'token-budget-exceeded': {
    severity: 'error',
    title: 'Tools cost more tokens than connector.yaml allows',
    cause: 'A model reads them with every list of tools. `budget` bounds the service and each tool.',
    fix: 'Shorten descriptions, leave out arguments (omit), say less of answers (outputSchemas), or raise the budget.',
  },
  'credential-unsupported': {
    severity: 'warning',
    title: 'Operations need a credential that is not supported',
    cause:
      'Their security schemes are of an unsupported kind, lack an endpoint, or cannot be sent next to the chosen one.',
    fix: 'Describe what to ask for under credential in connector.yaml.',
  },
  'credential-partial': {
    severity: 'info',
    title: 'OAuth 2.0 is enough for some operations only',
    cause: 'The descriptor lets it stand in for the chosen credential, but not everywhere.',
    fix: 'Name the kinds of credential under credential in connector.yaml.',
  },
  'credential-not-sent': {
    severity: 'warning',
    title: 'Operations have no place for the credential',
    cause: 'It is sent in paths and bodies, and these operations declare neither.',
    fix: 'Add the parameter or the member to the descriptor with an overlay, or name the operations under notExposed.',
  },
  'credential-absent': {
    severity: 'warning',
    title: 'Nothing says which credential a service needs',
    cause: 'The descriptor has no usable security requirement and connector.yaml no credential.',
    fix: 'Describe it under credential.parts in connector.yaml; `schemes: []` says that the service is open.',
  },

  'operation-id-duplicate': {
    severity: 'warning',
    title: 'Two operations have the same operationId',
    cause: 'OpenAPI requires it to be unique, so codegen ignores it and uses method and path instead.',
    fix: 'Name their tools in connector.yaml with `operation: GET /path`, or give one of them another operationId.',
  },
  'parameter-duplicate': {
    severity: 'warning',
    title: 'A parameter is declared twice',
    cause:
      'Name and place identify a parameter, so it is not clear which one applies: the operation does not become a tool.',
    fix: 'Remove one of them, or name the operation under notExposed in connector.yaml.',
  },
  'reference-kind': {
    severity: 'warning',
    title: 'Something else is in the place of a parameter or a body',
    cause:
      'Usually a `$ref` leads to another kind of object, such as a schema. An operation without its parameter or body does not become a tool.',
    fix: 'Correct the entry, or what its `$ref` leads to.',
  },
  'argument-looks-secret': {
    severity: 'warning',
    title: 'An argument looks like a credential',
    cause: 'No security scheme says that it is one, so a model would have to know the secret.',
    fix: 'Describe the place under credential.parts in connector.yaml: users then give it when they connect, and no tool takes it.',
  },
  'parameter-filled': {
    severity: 'warning',
    title: 'A required header is one that the gateway or HTTP fills',
    cause: 'A caller cannot set it: the value of an argument would be overwritten.',
    fix: 'Nothing, if the upstream accepts what is sent.',
  },
  'path-leaves-base': {
    severity: 'warning',
    title: 'A path does not stay below its base URL',
    cause: 'It has a segment `.` or `..`, or begins with `//`, in some encoding: the operation does not become a tool.',
    fix: 'Write the path as the upstream reads it, or give the operation its own server.',
  },
  'path-parameter-undeclared': {
    severity: 'warning',
    title: 'A path has a placeholder without a parameter',
    cause: 'Nothing says what to put there: the operation does not become a tool.',
    fix: 'Declare a parameter of that name with `in: path`.',
  },
  'path-unsendable': {
    severity: 'warning',
    title: 'A key of `paths` has parts that no request can carry',
    cause:
      'It differs from another one by its `#fragment` alone, fixes a value that the parameter of that name does not allow, or has a lone brace: the operation does not become a tool.',
    fix: 'Write what chooses the operation as a required query or header parameter with that value.',
  },
  'path-parameter-unused': {
    severity: 'warning',
    title: 'A path parameter has no placeholder in its path',
    cause: 'There is no place to write the value to: the operation does not become a tool.',
    fix: 'Remove the parameter, or add the placeholder to the path.',
  },
  'schema-invalid': {
    severity: 'warning',
    title: 'Something else is in the place of a schema',
    cause: 'A schema is an object, or in OpenAPI 3.1 a boolean. It is read as one that accepts anything.',
    fix: 'Write a schema there.',
  },
  'schema-keyword': {
    severity: 'warning',
    title: 'A schema keyword has a value that it cannot have',
    cause: 'A validator would refuse the whole schema, so the keyword is left out.',
    fix: 'Correct the value.',
  },
  'schema-number-inexact': {
    severity: 'warning',
    title: 'A schema lists a whole number that has lost digits',
    cause: 'It is beyond 9007199254740991, so JSON parsers round it, and no tool can send it.',
    fix: 'List it as text where the upstream takes text; otherwise leave it out.',
  },
  'schema-dynamic-reference': {
    severity: 'warning',
    title: 'A schema uses `$dynamicRef`',
    cause: 'Dynamic references are not followed: the schema accepts more than the upstream does.',
    fix: 'Use `$ref` where the target is known.',
  },
  'security-scheme-unknown': {
    severity: 'warning',
    title: 'A security requirement names a scheme that does not exist',
    cause: 'The credential that the operation needs is not described: it does not become a tool.',
    fix: 'Describe the credential under credential.parts in connector.yaml, or declare the scheme in the descriptor.',
  },
} as const satisfies Record<string, DiagnosticDoc>;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;

/** Adds the catalogue's entry for the code, and the position. */
export function toDiagnostic(problem: Problem, locate: Locate): Diagnostic {
  const { severity, fix } = DIAGNOSTICS[problem.code];
  const position = problem.position ?? locate(problem.file, problem.pointer);
  return { ...problem, severity, position, fix: problem.fix ?? fix };
}

/** `file:line:column`, which editors and terminals open; the file alone where there is no position. */
export function formatPlace({ file, position }: Pick<Diagnostic, 'file' | 'position'>): string {
  return position === null ? file : `${file}:${position.line}:${position.column}`;
}

/** By file, position, pointer, code and message. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    byCodeUnit(a.file, b.file) ||
    (a.position?.line ?? 0) - (b.position?.line ?? 0) ||
    (a.position?.column ?? 0) - (b.position?.column ?? 0) ||
    byCodeUnit(a.pointer, b.pointer) ||
    byCodeUnit(a.code, b.code) ||
    byCodeUnit(a.message, b.message)
  );
}
