/** The errors of codegen: a service with one is not generated. */

/** By code. */
export const ERRORS = {
  'descriptor-missing': {
    title: 'A folder of specs/ has no descriptor',
    cause: 'There is no openapi.yaml, openapi.yml, openapi.json or mcp.json.',
    fix: 'Add the descriptor, or remove the folder.',
  },
  'service-name': {
    title: 'A folder of specs/ has a name that cannot name tools',
    cause: 'The name becomes the prefix of tool names and a part of file, identifier and environment names.',
    fix: 'Rename it: lower-case words of letters and digits joined by single hyphens, a letter first, at most 32 characters.',
  },
  'service-missing': {
    title: 'specs/ has no folder of that name',
    cause: 'Codegen was asked for a service that is not there.',
    fix: 'Name a folder of specs/.',
  },
  'descriptor-ambiguous': {
    title: 'A folder of specs/ has several descriptors',
    cause: 'There is more than one of openapi.yaml, openapi.yml, openapi.json and mcp.json.',
    fix: 'Keep one of them.',
  },
  'file-outside': {
    title: 'A file lies outside its service folder',
    cause: 'The path, or a symbolic link on it, leaves specs/<service>/. Nothing outside is read.',
    fix: 'Copy the file into the folder.',
  },
  'file-unreadable': {
    title: 'A file cannot be read',
    cause: 'It is missing, not a regular file, too large, not UTF-8, or this user may not read it.',
    fix: 'Fix the file, or the name by which it is referenced.',
  },
  syntax: {
    title: 'A file is not valid YAML or JSON',
    cause: 'The text does not parse, repeats a key, or expands its aliases beyond all bounds.',
    fix: 'Fix the text at this line.',
  },
  'mcp-lock-invalid': {
    title: 'The list of an MCP server is not as the server sent it',
    cause: 'mcp.json is what a person reviewed and what each call is compared with, so it is never edited.',
    fix: 'Restore the file from Git, or run `utg update <service>`.',
  },
  'document-value': {
    title: 'A document holds a value that JSON cannot express',
    cause:
      'Descriptors and connector.yaml are JSON documents written in YAML: no NaN, no infinity, no cycles, no bottomless nesting.',
    fix: 'Replace the value.',
  },
  'openapi-version': {
    title: 'The descriptor is not OpenAPI 3.0, 3.1 or 3.2',
    cause: '`openapi` must be a string such as "3.0.4" or "3.1.2".',
    fix: 'Convert the descriptor to OpenAPI 3.1, or correct its version.',
  },
  'descriptor-unusable': {
    title: 'The descriptor has no operations that can be read',
    cause: 'It or its `paths` is not an object, or its files cannot be joined.',
    fix: 'Correct the descriptor, or ask the upstream for one that its own tools can read.',
  },
  'codegen-defect': {
    title: 'Codegen failed on a service',
    cause: 'A bug in codegen. The other services are generated; the files of this one stay as they are.',
    fix: 'Report it with the descriptor.',
  },
  'service-too-large': {
    title: 'A service needs too much time or memory',
    cause:
      'It has too many operations, or its schemas are too large. The other services are generated; the files of this one stay as they are.',
    fix: 'Expose only the operations that are needed (expose in connector.yaml), leave out the named one (notExposed), or take it out of the descriptor with an overlay. If memory is the limit, give it more: NODE_OPTIONS=--max-old-space-size=8192.',
  },
  'overlay-invalid': {
    title: 'The overlay cannot be read',
    cause: 'It is not an OpenAPI Overlay 1.0 or 1.1, or a `target` or `copy` in it is not a JSONPath query (RFC 9535).',
    fix: 'Correct the overlay at this place.',
  },
  'config-invalid': {
    title: 'connector.yaml is not as expected',
    cause: 'A key is unknown, a value has the wrong type, or two settings contradict each other.',
    fix: 'Correct it at this place. Editors complete the file through codegen/load/connector.schema.json.',
  },
  'config-misnamed': {
    title: 'A file looks like connector.yaml and is not read',
    cause: 'The decisions about a service are read from connector.yaml only.',
    fix: 'Rename the file to connector.yaml.',
  },
  'config-operation-unknown': {
    title: 'connector.yaml names an operation that the descriptor does not have',
    cause: 'The operationId, or the method and path, is misspelt or the upstream removed the operation.',
    fix: 'Name an operation by its operationId or as "GET /path".',
  },
  'config-exposure-conflict': {
    title: 'An operation is both a tool and not exposed',
    cause: 'connector.yaml has tools on the operation and names it under notExposed.',
    fix: 'Remove one of the two.',
  },
  'config-tool-refused': {
    title: 'connector.yaml asks for a tool that codegen cannot build',
    cause: 'The operation needs something that is not supported.',
    fix: 'Remove the tool, and name the operation under notExposed with the reason.',
  },
  'config-argument-unknown': {
    title: 'connector.yaml describes an argument that the tool does not have',
    cause: 'No parameter or body member has that camelCase name, and no `wire` says where the value travels.',
    fix: 'Correct the name, or add `wire`.',
  },
  'config-argument-unused': {
    title: 'An argument of connector.yaml does nothing',
    cause: 'It is not sent, is not checked with mustEqual, and names no key.',
    fix: 'Remove it, or say what it is for.',
  },
  'config-wire-unknown': {
    title: 'connector.yaml names a place on the wire that the operation does not have',
    cause: 'No parameter or body member of that name is in that place.',
    fix: 'Correct the place and the wire name.',
  },
  'config-wire-conflict': {
    title: 'connector.yaml uses one place on the wire twice',
    cause: 'Two arguments, or an argument and `fixed` or `omit`, claim the same place.',
    fix: 'Keep one of them.',
  },
  'config-required-omitted': {
    title: 'connector.yaml leaves out a required parameter',
    cause: 'The upstream would refuse every call.',
    fix: 'Offer the parameter, or give it a value under `fixed`.',
  },
  'config-constraint': {
    title: 'A constraint of connector.yaml cannot hold',
    cause: 'It does not fit the type of the argument, or it is not valid JSON Schema.',
    fix: 'Correct the constraint.',
  },
  'config-dynamic-name': {
    title: 'A parameter name chosen at run time is not safe',
    cause: 'The argument that names it is missing, optional, or not bounded by a pattern.',
    fix: 'Declare the naming argument with `sent: false`, `required: true` and an anchored `pattern`.',
  },
  'config-agreement': {
    title: 'A mustEqual template cannot be checked',
    cause: 'It names no argument, or one that the tool does not have.',
    fix: 'Use {argument} for each argument that the value must agree with.',
  },
  'config-unused': {
    title: 'A default or an accepted rule of connector.yaml applies to no tool',
    cause: 'No tool has the argument or the place that it names, or breaks the rule.',
    fix: 'Correct the name, or remove the entry.',
  },
  'config-hint-unchanged': {
    title: 'A hint of connector.yaml changes nothing',
    cause: 'It equals the default, so its reason explains nothing.',
    fix: 'Remove the hint.',
  },
  'config-hint-contradiction': {
    title: 'The hints of a tool contradict each other',
    cause: 'A tool that only reads cannot be destructive.',
    fix: 'Set destructiveHint to false, or readOnlyHint to false.',
  },
  'config-pagination': {
    title: 'A pagination rule of connector.yaml cannot work',
    cause: 'The tool has no such argument, or the answer has no such place.',
    fix: 'Name an argument of the tool and pointers into its 2xx answer; `pagination: null` means no pages.',
  },
  'config-keep': {
    title: '`keep` of connector.yaml names what the answer does not have',
    cause: 'A path of it leads to no member of the 2xx answers.',
    fix: 'Write dotted names of members, without arrays: `data.owner.name`.',
  },
  'config-withhold': {
    title: '`withhold` of connector.yaml names what the answer does not have, or what its list needs',
    cause:
      'A path of it leads to no member of the 2xx answers, or the pages of the list cannot be followed without it.',
    fix: 'Write dotted names of members, without arrays: `data.owner.name`, or `**.name` for one anywhere in the answer.',
  },
  'config-gateway-arguments': {
    title: 'A tool cannot take an argument of the gateway',
    cause:
      'fields and resume are for tools that read, where, sort and aggregate for those that list items, maxItems for tools whose pages can be followed, a batch for tools that write, and none of them may have the name of an argument of the service.',
    fix: 'Take it out of `gatewayArguments`, or leave out `batch`.',
  },
  'config-filter': {
    title: 'A filter of connector.yaml cannot work',
    cause:
      'The items of the list have no such member, or the tool sends no argument that can say what the operator says.',
    fix: 'Name a member of the items, and an optional argument of the tool.',
  },
  'config-find': {
    title: 'A list of connector.yaml cannot be searched by a key',
    cause: 'The tool lists no objects, its items have no such member, or the name of the new tool is taken.',
    fix: 'Name members of the items, joined by + where one key is made of several.',
  },
  'config-rows': {
    title: 'A rows rule of connector.yaml cannot work',
    cause: 'The answer has no such place.',
    fix: 'Name pointers into the 2xx answer.',
  },
  'config-scheme-unknown': {
    title: 'connector.yaml names a security scheme that cannot be used',
    cause: 'The descriptor does not have it, or it is of a kind that is not supported.',
    fix: 'Name a security scheme of the descriptor, or describe the credential with `parts`.',
  },
  'config-credential': {
    title: 'The credential of connector.yaml contradicts itself',
    cause:
      'Both `schemes` and `parts` are given, two parts of a kind use one id or one header, or no connection could be told to be of a kind.',
    fix: 'Keep one of them.',
  },
  'config-oauth2': {
    title: 'OAuth 2.0 of connector.yaml cannot work',
    cause: 'An endpoint is missing or is not https, or a parameter is set that the gateway sets itself.',
    fix: 'Say it under credential.oauth2, by security scheme, or in the part of `parts`.',
  },
  'config-scopes': {
    title: 'connector.yaml names scopes that nothing asks for',
    cause: 'No kind of credential of the service is OAuth 2.0, or every tool has scopes of its own.',
    fix: 'Remove the scopes, or describe OAuth 2.0 under credential.',
  },
  'config-account': {
    title: 'The name of the connected account cannot be read',
    cause: 'The tool does not exist, changes data, does not accept the arguments, or answers without such a place.',
    fix: 'Name a tool that only reads, with arguments that its input schema accepts, and pointers into its answer.',
  },
  'config-server-variable': {
    title: 'A server variable of connector.yaml cannot be used',
    cause: 'The descriptor has no such variable, or `derive` names none.',
    fix: 'Name a variable of the descriptor; a server without variables has base_url.',
  },
  'config-verify': {
    title: 'The call that verifies a credential cannot be made',
    cause: 'The tool does not exist, changes data, or does not accept the arguments.',
    fix: 'Name a tool that only reads, with arguments that its input schema accepts.',
  },
  'config-preview': {
    title: 'The preview of a tool cannot be called',
    cause: 'Its tool does not exist, changes data, or needs an argument that is not given.',
    fix: 'Name a tool that only reads, and arguments of both tools.',
  },
  'config-wait': {
    title: 'A tool cannot wait for the end of its work',
    cause:
      'The tool that reads the state does not exist, changes data, lacks an argument, or its answer has no such place.',
    fix: 'Name a tool that only reads, its arguments by places of the first answer, and where its answer has the state.',
  },
  'skill-file': {
    title: 'A folder of skills/ is not a skill',
    cause:
      'Clients load it as an Agent Skill: SKILL.md with frontmatter (name, description, metadata.tools), and texts in references/.',
    fix: 'Correct it by docs/guides/skills.md, or remove the folder.',
  },
  'skill-tool': {
    title: 'A skill and the tools of its service do not agree',
    cause:
      'A skill is only offered to users who have all tools that metadata.tools lists, and its text may name no other.',
    fix: 'Correct the name, or add it to metadata.tools.',
  },
  'config-event': {
    title: 'An event of connector.yaml cannot be offered',
    cause: 'The descriptor has no such webhook, its payload no such member, or the tool is missing or changes data.',
    fix: 'Name a webhook or callback of the descriptor, members of its payload, and a tool that only reads.',
  },
  'hand-written-file': {
    title: 'A file of tools/ is not a hand-written tool',
    cause: 'Codegen reads the definition without running it, so the file must have one form.',
    fix: 'Name it like `wait-until-ready.ts`, and let its only export be `export const tool = defineTool({ ... })`.',
  },
  'hand-written-import': {
    title: 'A hand-written tool bypasses the gateway',
    cause:
      'It may only call generated tools, through the second argument of `run`: rights, pins and limits are enforced there.',
    fix: 'Import `defineTool` from generated/<service>/define-tool.ts, `createClient` from its client.ts, types of its schema.d.ts and of the contract, and nothing else.',
  },
  'hand-written-definition': {
    title: 'A hand-written tool is not defined as expected',
    cause: 'A member is missing, unknown, of the wrong type, or code in place of a literal.',
    fix: 'Correct it at this place; docs/guides/hand-written-tools.md shows the form.',
  },
  'hand-written-uses': {
    title: 'A hand-written tool uses a tool that is not generated',
    cause: '`uses` names generated tools of the same service; its hints and scopes follow from them.',
    fix: 'Name generated tools, each once.',
  },
  'hand-written-name': {
    title: 'A hand-written tool has the name of another tool',
    cause: 'Its name is the prefix of the service and the name of its file: a call would be ambiguous.',
    fix: 'Rename the file, or the alias.',
  },
  'config-logo': {
    title: 'A logo cannot be used',
    cause:
      'Pages show PNG, JPEG, WebP and GIF images of at most 65,536 bytes. The bytes of the file decide, not its name.',
    fix: 'Put such an image next to connector.yaml, or remove `logo`.',
  },
  'config-alias': {
    title: 'An old name of a tool names something else',
    cause: 'A tool has that name, or another tool has that alias: a call would be ambiguous.',
    fix: 'Remove the alias.',
  },
  'server-url-invalid': {
    title: 'A server URL is not an absolute http or https URL',
    cause: 'A relative URL, or a variable without a usable default.',
    fix: 'Give the variable a default under serverVariables in connector.yaml.',
  },
  'config-expose-unmatched': {
    title: '`expose` names what the descriptor does not have',
    cause: 'No operation has this id, path or tag, or none matches all that `expose` says.',
    fix: 'Correct it, or remove it from `expose`.',
  },
  'profile-refused': {
    title: 'A client refuses a tool, or every list with this tool in it',
    cause: 'The tool breaks a rule of that client. The rules with their sources are in codegen/tools/profiles.',
    fix: 'Change the tool in connector.yaml, or accept the rule under profiles.accept, with the reason.',
  },
  'token-budget-exceeded': {
    title: 'Tools cost more tokens than connector.yaml allows',
    cause: 'A model reads them with every list of tools. `budget` bounds the service and each tool.',
    fix: 'Shorten descriptions, leave out arguments (omit), say less of answers (outputSchemas), or raise the budget.',
  },
} as const satisfies Record<string, Record<'title' | 'cause' | 'fix', string>>;
