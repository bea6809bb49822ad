// Written by `npm run docs` from docs/reference/gateway-openapi.yaml. Do not edit.
export interface paths {
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Authorization server metadata (RFC 8414). */
        get: operations["getAuthorizationServerMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Protected resource metadata (RFC 9728). */
        get: operations["getProtectedResourceMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource/api/mcp/unified": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Protected resource metadata (RFC 9728). */
        get: operations["getProtectedResourceMetadataAtPath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A call of a service that something happened, signed as connector.yaml says. */
        post: operations["receiveEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/oauth/allow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows what changed in a tool that is stopped, to the user who can allow it. */
        get: operations["showAllowPage"];
        put?: never;
        /** The page's own form, with a connection code of the user. */
        post: operations["allowTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/oauth/allow/done": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says that the tool is allowed. */
        get: operations["showAllowedPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/oauth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Authorization endpoint with PKCE (RFC 6749, RFC 7636); shows the consent page. */
        get: operations["authorize"];
        put?: never;
        /** The consent page's own form. */
        post: operations["continueAuthorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/oauth/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the step of the consent page that a form led to. */
        get: operations["showConsentStep"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/oauth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Dynamic client registration (RFC 7591). */
        post: operations["registerClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Token revocation (RFC 7009); tokens of confidential clients and partners need their credentials. */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/oauth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A connection code for one of the partner's users, for the consent page. */
        post: operations["createConnectionCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Code exchange, refresh, and exchange of identity assertions for MCP clients (RFC 6749 §3.2), and refresh for partners. */
        post: operations["exchangeGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/unified": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** One JSON-RPC 2.0 message of the Model Context Protocol (Streamable HTTP). */
        post: operations["callMcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Redeems the code of a connect flow, and renews the partner's tokens. */
        post: operations["redeemConnectCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document, with the address of this gateway. */
        get: operations["getApiDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/allowances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether your users need an allowance. */
        get: operations["getAllowanceRequirement"];
        /** Sets whether your users need an allowance. It counts from the next call on. */
        put: operations["putAllowanceRequirement"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/approval-rule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Kinds of calls that the users of the partner approve one by one, besides those that the operator names. */
        get: operations["getApprovalRule"];
        /** Makes the rule stricter. Only the operator can take a kind out again. */
        put: operations["putApprovalRule"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Calls that wait for the approval of their users, the oldest first. */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/approvals/{approval}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One call that waits for approval, or waited within the last day. */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/approvals/{approval}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tells what a user decided about a call, once. Call it only after the user has seen every argument. A call that is not `complete` can only be denied. */
        post: operations["decideApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/approvals/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tells what a user decided about several calls, such as all that one client asked for, each as it was shown. */
        post: operations["decideApprovals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/branding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How pages show you: your name, logo and accent colour. */
        get: operations["getBranding"];
        /** Sets the accent colour of the pages, or takes it away, and whether they have a footer. */
        put: operations["putBranding"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/branding/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Uploads your logo, or replaces it. It stands next to your name. */
        put: operations["putLogo"];
        post?: never;
        /** Removes your logo. */
        delete: operations["removeLogo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/call-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rules about how many calls of your users may be sent: those of the operator, and yours. */
        get: operations["listCallLimits"];
        /** Replaces your rules. Those of the operator stay. */
        put: operations["putCallLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tool calls, the latest first. A page may have fewer members than its limit, or none, although `next` is there. */
        get: operations["listCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** OAuth clients with grants of the users of the partner that live, by id. */
        get: operations["listClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/connect-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A visit of the connect page for one user. It cannot be rewritten on its way through the browser. */
        post: operations["createConnectSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened to the partner's users, by cursor. */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What agents of the partner's users could not do, the newest first. */
        get: operations["listFeedback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the users of the partner have allowed, the youngest first. */
        get: operations["listOwnGrants"];
        put?: never;
        post?: never;
        /** Revokes everything that is selected, at once. */
        delete: operations["revokeOwnGrants"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/issuers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The partner's identity issuers. */
        get: operations["listIssuers"];
        put?: never;
        /** Registers an identity issuer, which an operator then approves, or replaces what the partner registered for it. */
        post: operations["registerIssuer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/issuers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes an identity issuer, and revokes at once what it vouched for. */
        delete: operations["removeIssuer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the partner may offer, by name. */
        get: operations["listServices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The teams of the partner, the youngest first. */
        get: operations["listTeams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/teams/{team_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Adds a team, or gives it another name. */
        put: operations["putTeam"];
        post?: never;
        /** Removes a team. What was shared with it ends at the next call. */
        delete: operations["deleteTeam"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/teams/{team_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The members of a team, those added last first. */
        get: operations["listMembers"];
        /** Sets all members of a team at once, for example from a directory. Users whom the gateway does not know yet are added. */
        put: operations["setMembers"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/teams/{team_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Adds one member. */
        put: operations["addMember"];
        post?: never;
        /** Removes one member, who loses what the team shares at the next call. */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/teams/{team_id}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is shared with a team: at most one connection of each service. */
        get: operations["listShares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/teams/{team_id}/shares/{service}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Shares a connection of a user with a team, in place of another of the service. */
        put: operations["shareConnection"];
        post?: never;
        /** Ends a share. Members lose the account at the next call. */
        delete: operations["endShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/upstream-clients/{service}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The partner's own OAuth client at a service, without its secret. */
        get: operations["getUpstreamClient"];
        /** Registers the partner's own OAuth client at a service, or replaces it. It comes before the operator's for the partner's users. */
        put: operations["putUpstreamClient"];
        post?: never;
        /** Removes the partner's own OAuth client at a service. Its connections can no longer be refreshed. */
        delete: operations["removeUpstreamClient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sums of tool calls, by day and by what else is asked for. */
        get: operations["sumUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The partner's users, the youngest first. */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes a user with all connections, credentials and tokens. */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was done in the name of a user, the latest first: calls of one client at one service within an hour are one member. A page may have fewer members than its limit, although `next` is there. */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/allowance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the partner allows a user at most. */
        get: operations["getAllowance"];
        /** Sets what the partner allows a user at most, whatever the user allows clients. It counts from the next call on. A user that the gateway does not know yet is created. */
        put: operations["putAllowance"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Allows a tool that came to risk more, for the partner's own tokens of the user. */
        post: operations["approveTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The clients that act for this user alone. */
        get: operations["listUserClients"];
        put?: never;
        /** Registers a client that acts for this user alone, once the user has allowed it on the consent page. */
        post: operations["registerUserClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/clients/{client_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes such a client, and ends at once what the user allowed it. */
        delete: operations["removeUserClient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a user has connected. */
        get: operations["listConnections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/connections/{service}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes one connection with its credential. */
        delete: operations["deleteConnection"];
        options?: never;
        head?: never;
        /** Renames one of several accounts of a service. Assistants choose the account by its name. */
        patch: operations["renameConnection"];
        trace?: never;
    };
    "/api/partner/users/{user_id}/connections/{service}/event-address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets the secret with which the service signs its calls. The address stays. */
        put: operations["setEventSecret"];
        /** Makes the address at which the service tells its events. It replaces the present one. */
        post: operations["addEventAddress"];
        /** Removes the address of a connection, with its events. */
        delete: operations["deleteEventAddress"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a user has allowed, the youngest first. */
        get: operations["listGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/grants/{grant}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes a grant with its tokens. */
        delete: operations["revokeGrant"];
        options?: never;
        head?: never;
        /** Takes something away from a grant; what would give it something is refused. */
        patch: operations["narrowGrant"];
        trace?: never;
    };
    "/api/partner/users/{user_id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A link that signs a browser in to the own pages of a user, for example to approve a call. */
        post: operations["createUserLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/users/{user_id}/tools/{tool}/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The request that a tool call of a user would send first, without the credential. Nothing is sent. */
        post: operations["dryRunTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The partner's webhook endpoints. */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /** Adds a webhook endpoint, which gets the events from now on. */
        post: operations["addWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhook-endpoints/{endpoint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One webhook endpoint. */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /** Removes a webhook endpoint with what waits for it. */
        delete: operations["removeWebhookEndpoint"];
        options?: never;
        head?: never;
        /** Changes what is named of a webhook endpoint. */
        patch: operations["changeWebhookEndpoint"];
        trace?: never;
    };
    "/api/partner/webhook-endpoints/{endpoint}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was sent to a webhook endpoint, with the last answers. */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhook-endpoints/{endpoint}/deliveries/{delivery}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends the event of a delivery again, with the same id and a new timestamp. */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhook-endpoints/{endpoint}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives a webhook endpoint another secret; the one before signs too for a while. */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhook-endpoints/{endpoint}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends an event of type `webhook.test`. */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page of a connect session. With a token, a redirect to the address without it, but for a frame; nothing is used up. */
        get: operations["showConnectSession"];
        put?: never;
        /** The page's own form. The first one uses the token up for its browser. */
        post: operations["continueConnectSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The script with which a page of the partner opens the connect page in a frame or popup. */
        get: operations["getConnectScript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect/{service}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: string;
            };
            cookie?: never;
        };
        /** The page on which a user connects a service. */
        get: operations["beginConnect"];
        put?: never;
        /** The connect page's own form. */
        post: operations["continueConnect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect/{service}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: string;
            };
            cookie?: never;
        };
        /** Where a service's authorization server sends the browser back to; the redirect URI to register there. */
        get: operations["receiveAuthorization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect/client-metadata.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The gateway as a client of services' authorization servers. The address is its client id (OAuth Client ID Metadata Document). */
        get: operations["getClientMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process runs. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/llms.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What this gateway is and where its parts are, as Markdown for a model. */
        get: operations["getLlmsTxt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the gateway should get requests. */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessCounts: {
            /** @description Codes that no one has used yet. */
            connection_codes: number;
            grants: number;
            /** @description Access tokens that an operator minted. */
            tokens: number;
        };
        Activity: {
            /** @description Of the account, where the user has several of the service. */
            account_name?: string;
            /**
             * @description `operator`: with an access token that an operator minted. `unknown`: its grant was deleted.
             * @enum {string}
             */
            caller: "client" | "partner" | "operator" | "unknown";
            calls: number;
            /** @description Null: the caller is not a client, or unknown. */
            client: {
                client_id: string;
                /** @description The name that the client gave itself. No one has verified it: say so where you show it. Null: none. */
                client_name: string | null;
            } | null;
            /** @description Whether more of its calls may be on the next page. */
            continues: boolean;
            /**
             * @description Null: the gateway no longer has such a tool.
             * @enum {string|null}
             */
            effect: "reading" | "writing" | "destructive" | null;
            /** Format: date-time */
            first_at: string;
            /** Format: date-time */
            last_at: string;
            outcome: components["schemas"]["Outcome"];
            service: string;
            /** @description A sentence for the user, without the time. It has the name of the client. */
            text: string;
            title: string;
            /** @description By the name that was called, the most recently used first. */
            tools: {
                calls: number;
                title: string;
                tool: string;
            }[];
        };
        /** @description A tool that fits all members may be called. */
        Allow: {
            /** @description By service, the only accounts that may be used, by `account_name` or `account` of the connection. Letter case does not matter. */
            accounts?: {
                [key: string]: string[];
            } | null;
            /** @description Effects of tools. Absent: every effect. */
            effects?: ("reads" | "writes" | "destroys")[] | null;
            /** @description Absent: every service. */
            services?: string[] | null;
            /** @description Absent: every tool. */
            tools?: string[] | null;
        };
        Allowance: {
            /** @description A tool may be called if one of these allows it; an empty list allows none. Null or absent: every tool. */
            allows?: components["schemas"]["Allow"][] | null;
            /** @description Kinds of calls that the user approves one by one, in addition to those of the operator, the partner and the user. */
            approvals?: ("destroy" | "send" | "pay" | "write" | "each")[] | null;
            /**
             * @description How lists show tools, in place of what the grant says. Null or absent: as the grant says.
             * @enum {string|null}
             */
            catalogue?: "lean" | "full" | "compact" | "search" | "code" | null;
            /**
             * Format: date-time
             * @description Null: it does not expire.
             */
            expires_at: string | null;
        };
        AllowanceRequirement: {
            /** @description True: a user may use nothing until its allowance is set, however the gateway came to know it. False: everything. */
            required: boolean;
        };
        Approval: {
            /** @description Every value that would be sent, required ones first, in the order of the tool's schema. Show all of them. Null: it is decided or expired, or they are longer than 65,536 characters. */
            arguments: components["schemas"]["ApprovalArgument"][] | null;
            /**
             * @description How it was decided.
             * @enum {string|null}
             */
            channel: "page" | "partner" | "client" | null;
            /** @description Who asked. Null: your own tokens. */
            client: {
                client_id: string;
                /** @description The name that the client gave itself. No one has verified it: say so where you show it. Null: none. */
                client_name: string | null;
            } | null;
            /** @description Whether `arguments` is everything that would be sent. False: the call cannot be approved here, but only at `page_url`. */
            complete: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            decided_at: string | null;
            /** @description Names exactly this call. Null: it was made, or is decided. */
            digest: string | null;
            /**
             * Format: date-time
             * @description Until then it can be decided, and after an approval made.
             */
            expires_at: string;
            id: string;
            /**
             * Format: date-time
             * @description When the gateway read `names` and `preview`. Null: it read nothing.
             */
            looked_up_at: string | null;
            /** @description Whether the user may approve all calls of this tool by this client for 24 hours. */
            may_remember: boolean;
            /** @description What ids among the arguments belong to, at most 8. Null as `arguments` is. */
            names: components["schemas"]["ApprovalName"][] | null;
            /** @description The user's own page of this call, which shows everything. Give the user a link to the own page first. Null: the operator accepts no approvals there. */
            page_url: string | null;
            /** @description What the service's own reading tool says of it. Null: there is no such tool, or no answer. */
            preview: {
                name: string;
                value: string;
            }[] | null;
            /** @description What would happen: the title of the tool with every argument, or with their number if they are long. Its values come from a model: show them as text. Null: it is decided or expired. */
            sentence: string | null;
            service: string;
            /** @enum {string} */
            status: "pending" | "approved" | "denied" | "spent" | "expired";
            tool: string;
            user_id: string;
        };
        ApprovalArgument: {
            name: string;
            /**
             * @description Who sets it: the client; the account of the call; `fixed` for this client by you; or the gateway, as `default` of a missing argument or `constant` of the tool.
             * @enum {string}
             */
            origin: "client" | "account" | "fixed" | "default" | "constant";
            /** @description JSON of the whole value, as it is sent. Invisible characters are written as escapes. A long file is an object with `bytes`, `sha256` and, of a text, `text`. */
            value: string;
            /** @description About letters that look like others. Show it next to the value. Null: there are none. */
            warning: string | null;
        };
        ApprovalName: {
            argument: string;
            id: string;
            /** @description What the service calls the thing with this id, as its reading tool says. Null: see `problem`. */
            name: string | null;
            /**
             * @description `missing`: the service has no such thing; `failed`: it could not be looked up; `nameless`: it has no name.
             * @enum {string|null}
             */
            problem: "missing" | "failed" | "nameless" | null;
        };
        Branding: {
            /** @description `#rrggbb` in lower case. Null: pages have their own colours. */
            accent_color: string | null;
            /** @description Whether your pages name the gateway below. */
            footer: boolean;
            /** @description One to three characters that stand for you where there is no logo. The operator sets them. */
            logo_text: string | null;
            /**
             * Format: uri
             * @description Your logo. Another image has another address. Null when you have none.
             */
            logo_url: string | null;
            name: string;
        };
        Call: {
            /** Format: date-time */
            called_at: string;
            duration_ms: number;
            /** @description `id` of the grant. Null: the token came from none. */
            grant: string | null;
            id: string;
            outcome: components["schemas"]["Outcome"];
            request_bytes: number;
            request_id: string;
            response_bytes: number;
            service: string;
            /** @description As it was called, which may be an old name. */
            tool: string;
            /** @description The service's own code of an error; for `invalid_arguments`, the names of the arguments. */
            upstream_code: string | null;
            upstream_status: number | null;
            /** @description Null: the user was removed. */
            user_id: string | null;
        };
        CallLimit: {
            /** @description The rule, such as `tool:crm_send_mail 50/day/user`: `tool:<name>`, `service:<name>`, `read`, `write`, `destroy`, `send` or `pay`; a number; `minute`, `hour` or `day` (UTC); and `user`, `client` (one client of a user) or `partner` (all your users together). */
            rule: string;
            /** @enum {string} */
            set_by: "operator" | "partner";
            /** @description The highest number of calls that it counts now, of any user or client of yours that it counts. */
            used: number;
        };
        Client: {
            /**
             * Format: date-time
             * @description When the youngest was made.
             */
            allowed_at: string;
            client_id: string;
            /** @description The name that the client gave itself. No one has verified it: say so where you show it. Null: none. */
            client_name: string | null;
            /** @description Those that live. */
            grants: number;
            redirect_uris: string[];
            /** @description Users of the partner who made them. */
            users: number;
        };
        Connection: {
            /** @description Who is connected, in unverified text of the service. Null: unknown. */
            account: string | null;
            /** @description Which of several accounts of the service it is, as the user named it. Absent: the user has had only this one. */
            account_name?: string;
            /** Format: date-time */
            connected_at: string;
            /** @description Null: the connection is older than this member. */
            credential: components["schemas"]["CredentialType"] | null;
            id: string;
            service: string;
            /** @enum {string} */
            status: "active" | "attention";
            title: string;
            /** Format: date-time */
            updated_at: string;
        };
        CredentialKind: {
            /** @description Where the user finds the credential. */
            help: string;
            label: string;
            /** @description What the user is asked for at the service. Null: it is not `oauth2`. */
            scopes: string[] | null;
            type: components["schemas"]["CredentialType"];
            url: string | null;
            /** @description What is no secret, such as the tenant: a connect session may give it in `values`. */
            values?: {
                field: string;
                label: string;
                pattern: string | null;
            }[];
        };
        /** @enum {string} */
        CredentialType: "none" | "key" | "basic" | "oauth2";
        Error: {
            error: string;
            error_description: string;
        };
        Event: {
            /** @description The user_id, and what the type says of it. */
            data: {
                [key: string]: string | null;
            };
            id: string;
            /**
             * @description True: it is of a user of test mode. Absent: of a live one.
             * @constant
             */
            test?: true;
            /** Format: date-time */
            timestamp: string;
            /** @enum {string} */
            type: "connection.created" | "connection.attention" | "connection.recovered" | "connection.removed" | "connection.shared" | "connection.share_ended" | "grant.created" | "grant.attention" | "grant.revoked" | "approval.requested" | "approval.decided" | "user.removed" | "tool.deprecated_called" | "feedback.received";
        };
        Feedback: {
            /** @description Whose agent sent it. Null: your own tokens. */
            client: {
                client_id: string;
                /** @description The name that the client gave itself. No one has verified it: say so where you show it. Null: none. */
                client_name: string | null;
            } | null;
            /** Format: date-time */
            created_at: string;
            id: string;
            missing: string;
            /** @description As the agent named it. Null: it named none. */
            tool: string | null;
            /** @description Text of an agent: data that no one has verified. */
            tried: string;
            user_id: string;
        };
        Grant: {
            /** @description By service, the name of the only account that it may use. Null: an account without a name, or one that was removed. */
            accounts: {
                [key: string]: string | null;
            };
            /** Format: date-time */
            allowed_at: string;
            /** @description Null is the partner itself. */
            client: {
                client_id: string;
                /** @description The name that the client gave itself. No one has verified it: say so where you show it. Null: none. */
                client_name: string | null;
                redirect_uris: string[];
            } | null;
            /** @description Whether it includes tools that delete or overwrite. */
            destructive: boolean;
            /**
             * Format: date-time
             * @description Without use.
             */
            expires_at: string;
            id: string;
            last_call: {
                /** Format: date-time */
                called_at: string;
                outcome: string;
                service: string;
                tool: string;
            } | null;
            /**
             * Format: date-time
             * @description When it last got tokens or called a tool.
             */
            last_used_at: string | null;
            /** @description What that comes to now, by connected service. `asking`: how many of these tools wait for the approval of each call. */
            may: {
                asking: number;
                destructive: number;
                reading: number;
                service: string;
                title: string;
                writing: number;
            }[];
            /** @description The only tools of a grant that was frozen. */
            only: string[] | null;
            /** @description By service, arguments that the gateway sets. */
            pins: {
                [key: string]: unknown;
            };
            read_only: boolean;
            /** @description Null is every service, also those that are connected later. */
            services: string[] | null;
            /** @description Tools that are left out. */
            without: string[];
        };
        Health: {
            status: string;
        };
        Issuer: {
            /**
             * Format: date-time
             * @description Null: it waits for an operator, and its assertions are refused.
             */
            approved_at: string | null;
            /** Format: date-time */
            created_at: string;
            id: string;
            issuer: string;
            jwks: Record<string, never> | null;
            jwks_uri: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            subject_claim: string;
            tenant: string | null;
        };
        Narrowing: {
            destructive?: boolean | null;
            read_only?: boolean | null;
            /** @description The services that the grant keeps. */
            services?: string[] | null;
            /** @description Every tool that is left out, also those that were before. */
            without?: string[] | null;
        };
        /** @description Asks for the next page, as `cursor`. Null: this was the last. */
        Next: string | null;
        /**
         * @description `ok`, or why a call failed.
         * @enum {string}
         */
        Outcome: "ok" | "too_many_calls" | "partner_suspended" | "not_offered" | "not_connected" | "insufficient_scope" | "not_allowed" | "writing_stopped" | "needs_approval" | "connection_needs_attention" | "credential_unreadable" | "scope_not_granted" | "credential_not_renewed" | "invalid_arguments" | "idempotency_key_reused" | "call_in_progress" | "outcome_unknown" | "too_many_idempotency_keys" | "awaiting_approval" | "denied_by_user" | "call_limit_reached" | "no_free_turn" | "definition_changed" | "tool_gone" | "upstream_circuit_open" | "upstream_busy" | "credential_refused" | "refused_once" | "bad_request" | "payment_required" | "forbidden" | "not_found" | "gone" | "method_not_allowed" | "not_acceptable" | "conflict" | "request_too_large" | "invalid_request" | "connector_outdated" | "request_refused" | "tool_error" | "needs_input" | "rate_limited" | "quota_exhausted" | "upstream_error" | "upstream_unavailable" | "upstream_redirect" | "upstream_timeout" | "upstream_unreachable" | "upstream_tls_refused" | "upstream_connection_lost" | "upstream_protocol_error" | "upstream_invalid_answer" | "result_too_large" | "cancelled" | "internal_error";
        OwnGrant: {
            /** Format: date-time */
            allowed_at: string;
            /** @description `null`: the access of the partner itself. */
            client: {
                client_id: string;
                /** @description The name that the client gave itself. No one has verified it: say so where you show it. Null: none. */
                client_name: string | null;
            } | null;
            /** Format: date-time */
            expires_at: string;
            id: string;
            read_only: boolean;
            services: string[] | null;
            user_id: string;
        };
        PartnerTokens: {
            access_token: string;
            /**
             * @description Seconds.
             * @constant
             */
            expires_in: 3600;
            refresh_token: string;
            scope: string;
            /** @description The first service of the connect flow that the tokens began with. */
            service: string;
            /** @description With a code, every service that is connected now. */
            services?: string[];
            /** @constant */
            token_type: "Bearer";
            user_id: string;
        };
        Service: {
            categories: string[];
            /** @description Kinds of credential, of which a user chooses one; the preferred first. */
            credentials: components["schemas"]["CredentialKind"][];
            description: string;
            /** @description One or two letters, for where there is no logo. */
            logo_text: string;
            /**
             * Format: uri
             * @description The service's logo, for your own pages too. Another image has another address. Null where there is none.
             */
            logo_url: string | null;
            /** @description Names the service in paths and queries. */
            service: string;
            title: string;
            tools: components["schemas"]["Tool"][];
        };
        SessionRequest: {
            /** @description By service, arguments that the gateway sets; in a form, as JSON. */
            arguments?: {
                [key: string]: {
                    [key: string]: string | number | boolean;
                };
            } | string | null;
            /**
             * @description How lists show the tools: whole, by first sentences and types of arguments, or by four tools that find, describe and call the others. Default: as the operator set it.
             * @enum {string|null}
             */
            catalogue?: "full" | "compact" | "search" | null;
            client_id?: string;
            client_secret?: string;
            /** @description Seconds after which the grant ends, however often it is refreshed. */
            grant_expires_in?: number | string | null;
            read_only?: boolean | string | null;
            /** @description Estimated tokens of text that a result may have. Without it, as the operator set it. */
            result_tokens?: number | string | null;
            services?: string[] | string | null;
            /** @description Names of the only tools that the grant includes. */
            tools?: string[] | string | null;
            user_id: string;
        };
        Share: {
            /** @description Which of several accounts of the owner it is. */
            account_name?: string;
            /** Format: date-time */
            created_at: string;
            read_only: boolean;
            service: string;
            /** @enum {string} */
            status: "active" | "attention";
            /** @description The owner of the connection. Members never see it. */
            user_id: string;
        };
        Team: {
            /** Format: date-time */
            created_at: string;
            members: number;
            /** @description What members and their assistants see as the account. */
            name: string;
            shares: number;
            team_id: string;
        };
        Tokens: {
            access_token: string;
            /**
             * @description Seconds.
             * @constant
             */
            expires_in: 3600;
            /** @description Missing where an identity assertion was exchanged. */
            refresh_token?: string;
            scope: string;
            /** @constant */
            token_type: "Bearer";
        };
        Tool: {
            description: string;
            hints: {
                destructive: boolean;
                idempotent: boolean;
                open_world: boolean;
                read_only: boolean;
            };
            name: string;
            /** @description Scopes of the service that an `oauth2` connection needs, as alternatives. Each is needed whole. */
            scopes: string[][];
            title: string;
        };
        ToolFacts: {
            /** @description The `now` in the details of the refused call. */
            facts: string;
            tool: string;
        };
        UpstreamClient: {
            client_id: string;
            /** Format: date-time */
            created_at: string;
            has_secret: boolean;
            service: string;
            /** Format: date-time */
            updated_at: string;
        };
        Usage: {
            calls: number;
            /**
             * Format: date
             * @description In UTC.
             */
            day?: string;
            /** @description Calls whose outcome is not `ok`: `failed` and `waiting` together. */
            errors: number;
            /** @description Calls that failed. */
            failed: number;
            outcome?: components["schemas"]["Outcome"];
            /** @description Half of the calls took no longer, as far as bands of durations say. */
            p50_ms: number;
            p95_ms: number;
            service?: string;
            tool?: string;
            /** @description Calls that were not sent, because the user has to allow the tool or approve the call first. */
            waiting: number;
        };
        User: {
            connections: {
                active: number;
                attention: number;
            };
            /** Format: date-time */
            created_at: string;
            user_id: string;
        };
        UserClient: {
            client_id: string;
            /** @description The name that the client gave itself. No one has verified it: say so where you show it. Null: none. */
            client_name: string | null;
            /** @description Only in the answer to the registration; never for private_key_jwt. */
            client_secret?: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description What the user allowed it. Null: nothing yet, or it has ended. */
            grant_id: string | null;
            /** @description Where the consent page sends the user back to, with a code that you may exchange once or leave. */
            redirect_uris: string[];
            token_endpoint_auth_method: string;
        };
        WantedAllowance: {
            /** @description A tool may be called if one of these allows it; an empty list allows none. Null or absent: every tool. */
            allows?: components["schemas"]["Allow"][] | null;
            /** @description Kinds of calls that the user approves one by one, in addition to those of the operator, the partner and the user. */
            approvals?: ("destroy" | "send" | "pay" | "write" | "each")[] | null;
            /**
             * @description How lists show tools, in place of what the grant says. Null or absent: as the grant says.
             * @enum {string|null}
             */
            catalogue?: "lean" | "full" | "compact" | "search" | "code" | null;
            /** @description Seconds after which the user may use nothing, unless the allowance is set again: then no one keeps access because the partner stopped. Null or absent: it does not expire. */
            expires_in?: number | null;
        };
        WebhookDelivery: {
            answer_status: number | null;
            attempts: number;
            /** Format: date-time */
            created_at: string;
            duration_ms: number | null;
            event_id: string;
            id: string;
            /** @enum {string} */
            kind: "event" | "replay" | "test";
            /** Format: date-time */
            last_attempt_at: string | null;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** @description Why there was no answer; timeout, unreachable, address_not_allowed, secret_unreadable or event_gone. */
            problem: string | null;
            /** @enum {string} */
            status: "waiting" | "delivered" | "failed";
            type: string;
        };
        WebhookEndpoint: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            disabled_at: string | null;
            /** @description by-partner, by-operator, failing (for a day), or gone (it answered 410). */
            disabled_reason: string | null;
            enabled: boolean;
            /** Format: date-time */
            failing_since: string | null;
            id: string;
            /** Format: date-time */
            previous_secret_expires_at: string | null;
            types: string[] | null;
            /** Format: uri */
            url: string;
        };
    };
    responses: {
        /** @description A refusal whose `WWW-Authenticate` says what is missing. */
        Challenge: {
            headers: {
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A refusal. */
        Error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A request that is no message of the protocol. */
        JsonRpcError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: Record<string, never>;
                    /** @constant */
                    jsonrpc: "2.0";
                };
            };
        };
        /** @description The partner is suspended (`partner_suspended`), and its requests are refused. */
        PartnerSuspended: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description `next` of the previous page. Absent: the first page. */
        Cursor: string;
        /** @description How many members a page has at most. */
        Limit: number;
        /** @description Only calls that ended so. */
        OutcomeFilter: components["schemas"]["Outcome"];
        /** @description Only of this service. */
        Service: string;
        /** @description Only of this tool, by the name that was called. */
        Tool: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAuthorizationServerMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uri */
                        authorization_endpoint: string;
                        /** Format: uri */
                        issuer: string;
                        /** Format: uri */
                        registration_endpoint: string;
                        /** Format: uri */
                        revocation_endpoint: string;
                        /** Format: uri */
                        token_endpoint: string;
                    };
                };
            };
        };
    };
    getProtectedResourceMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        authorization_servers: string[];
                        bearer_methods_supported: string[];
                        /** Format: uri */
                        resource: string;
                        resource_name?: string;
                        scopes_supported: string[];
                    };
                };
            };
        };
    };
    getProtectedResourceMetadataAtPath: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        authorization_servers: string[];
                        bearer_methods_supported: string[];
                        /** Format: uri */
                        resource: string;
                        resource_name?: string;
                        scopes_supported: string[];
                    };
                };
            };
        };
    };
    receiveEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The secret part of the address that `addEventAddress` answered. */
                address: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The event is kept, or came before, or nobody can subscribe to it. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
            503: components["responses"]["Error"];
        };
    };
    showAllowPage: {
        parameters: {
            query: {
                /** @description From the answer of the call that was stopped. Valid for half an hour. */
                request: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says that nothing is waiting. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    allowTool: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    connection_code: string;
                    page_state: string;
                };
            };
        };
        responses: {
            /** @description The tool is allowed. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The page again, with what is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says that nothing is waiting. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests, or too many invalid codes. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    showAllowedPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    authorize: {
        parameters: {
            query: {
                client_id: string;
                code_challenge: string;
                code_challenge_method: "S256";
                redirect_uri: string;
                resource?: string;
                response_type: "code";
                scope?: string;
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Back to the application. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page that says what is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    continueAuthorization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": Record<string, never>;
            };
        };
        responses: {
            /** @description To the next step, or back to the application. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page that says what is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    showConsentStep: {
        parameters: {
            query: {
                /** @description Sealed for the browser that began. */
                page_state: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page again, with what is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says that the partner is suspended, and whom to ask. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says that the request has been answered. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests, or too many invalid codes. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    registerClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    application_type?: "native" | "web";
                    client_name?: string;
                    /** @description Public keys of a client that uses `private_key_jwt`. */
                    jwks?: Record<string, never>;
                    /** @description Where those keys are, in place of `jwks`. */
                    jwks_uri?: string;
                    redirect_uris: string[];
                    /** @enum {unknown} */
                    token_endpoint_auth_method?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
                };
            };
        };
        responses: {
            /** @description The client is registered. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        client_id: string;
                        client_id_issued_at?: number;
                        client_secret?: string;
                        /** @constant */
                        client_secret_expires_at?: 0;
                        /** @description Those that were asked for and are not registered. */
                        dropped_redirect_uris?: {
                            reason: string;
                            redirect_uri: string;
                        }[];
                        redirect_uris: string[];
                    };
                };
            };
            400: components["responses"]["Error"];
            /** @description This gateway registers no clients. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description A JWT that the client signed (RFC 7523 §2.2), in place of a secret. */
                    client_assertion?: string;
                    /** @constant */
                    client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
                    client_id?: string;
                    client_secret?: string;
                    token: string;
                    token_type_hint?: string;
                };
            };
        };
        responses: {
            /** @description The token is revoked, or never existed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    createConnectionCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["SessionRequest"];
            };
        };
        responses: {
            /** @description The code, valid for one use. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        expires_in: 600;
                        session_token: string;
                        /** @description Tools that the grant will not have, because they cannot be kept to a pinned argument. */
                        withheld_tools?: string[];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    exchangeGrant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description An ID-JAG. */
                    assertion?: string;
                    /** @description A JWT that the client signed (RFC 7523 §2.2), in place of a secret. */
                    client_assertion?: string;
                    /** @constant */
                    client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
                    client_id?: string;
                    client_secret?: string;
                    code?: string;
                    code_verifier?: string;
                    /** @enum {unknown} */
                    grant_type: "authorization_code" | "refresh_token" | "urn:ietf:params:oauth:grant-type:jwt-bearer";
                    redirect_uri?: string;
                    refresh_token?: string;
                    resource?: string;
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description Tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
            503: components["responses"]["Error"];
        };
    };
    callMcp: {
        parameters: {
            query?: never;
            header?: {
                "MCP-Protocol-Version"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id?: string | number;
                    /** @constant */
                    jsonrpc: "2.0";
                    method: string;
                    params?: Record<string, never>;
                };
            };
        };
        responses: {
            /** @description The answer, as JSON or as a stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                    "text/event-stream": string;
                };
            };
            /** @description A notification was taken. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["JsonRpcError"];
            401: components["responses"]["Challenge"];
            /** @description The token lacks a scope, which `WWW-Authenticate` names; or, without that header, the user's partner is suspended, which the JSON-RPC error says. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            413: components["responses"]["JsonRpcError"];
            415: components["responses"]["JsonRpcError"];
        };
    };
    redeemConnectCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    client_id?: string;
                    client_secret?: string;
                    code?: string;
                    /** @enum {unknown} */
                    grant_type: "authorization_code" | "refresh_token";
                    redirect_uri?: string;
                    refresh_token?: string;
                    /** @description The state of the connect session, as the partner's application gave it to this browser. Another one is refused. */
                    state?: string;
                    /** @description The user who is signed in to the partner's application in the browser that brought the code. Required for a code of a plain link, because anyone can rewrite the link's user_id. For a code of a connect session, which pins the user, state can be sent instead. A code of another user is refused. */
                    user_id?: string;
                };
            };
        };
        responses: {
            /** @description Tokens; with a code, the service is connected now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerTokens"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    getApiDescription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": string;
                };
            };
            /** @description It is still what `If-None-Match` names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAllowanceRequirement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requirement. By default, none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllowanceRequirement"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    putAllowanceRequirement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllowanceRequirement"];
            };
        };
        responses: {
            /** @description The requirement. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllowanceRequirement"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    getApprovalRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rule. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Kinds of calls that your users approve one by one; `each`: no approval is remembered until the next day. */
                        approvals: ("destroy" | "send" | "pay" | "write" | "each")[];
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    putApprovalRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Kinds of calls that your users approve one by one; `each`: no approval is remembered until the next day. */
                    approvals: ("destroy" | "send" | "pay" | "write" | "each")[];
                };
            };
        };
        responses: {
            /** @description The rule. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Kinds of calls that your users approve one by one; `each`: no approval is remembered until the next day. */
                        approvals: ("destroy" | "send" | "pay" | "write" | "each")[];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
                /** @description Only of this user. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The calls that wait. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        approvals: components["schemas"]["Approval"][];
                        next: components["schemas"]["Next"];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                approval: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    decideApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                approval: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    decision: "approve" | "deny";
                    /** @description That of the approval as it was shown to the user. */
                    digest: string;
                    /** @description True: all calls of this tool by this client are approved for 24 hours. Only where `may_remember` is true. */
                    remember?: boolean;
                };
            };
        };
        responses: {
            /** @description The call as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    decideApprovals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    approvals: {
                        /** @description That of the approval as it was shown to the user. */
                        digest: string;
                        id: string;
                    }[];
                    /** @enum {string} */
                    decision: "approve" | "deny";
                    /** @description True: all calls of this tool by this client are approved for 24 hours. Only where `may_remember` is true. */
                    remember?: boolean;
                };
            };
        };
        responses: {
            /** @description What was decided, which may be only a part. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        decided: string[];
                        /** @description For the reasons of `not_decidable`, or because `remember` is not possible for them. */
                        not_decided: string[];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    getBranding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How pages show you now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branding"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    putBranding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A colour such as `#0a66c2`. Text on it is black or white, and edges are darkened or lightened where they need it. */
                    accent_color: string | null;
                    /** @description False: pages do not name the gateway, neither below nor in their title. Default: unchanged. */
                    footer?: boolean;
                };
            };
        };
        responses: {
            /** @description How pages show you now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branding"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    putLogo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description An image that does not move, of at most 65,536 bytes and 1024 x 1024 pixels. Pages show it in a square. */
        requestBody: {
            content: {
                "image/jpeg": unknown;
                "image/png": unknown;
                "image/webp": unknown;
            };
        };
        responses: {
            /** @description How pages show you now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branding"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    removeLogo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The logo is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listCallLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        rules: components["schemas"]["CallLimit"][];
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    putCallLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description All your rules, each such as `tool:crm_send_mail 50/day/user`: `tool:<name>`, `service:<name>`, `read`, `write`, `destroy`, `send` or `pay`; a number; `minute`, `hour` or `day` (UTC); and `user`, `client` (one client of a user) or `partner` (all your users together). Empty: none. */
                    rules: string[];
                };
            };
        };
        responses: {
            /** @description The rules. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        rules: components["schemas"]["CallLimit"][];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    listCalls: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
                /** @description Only calls that ended so. */
                outcome?: components["parameters"]["OutcomeFilter"];
                /** @description Only of this service. */
                service?: components["parameters"]["Service"];
                /** @description Only calls from then on: an RFC 3339 time, or a day (UTC). */
                since?: string;
                /** @description Only of this tool, by the name that was called. */
                tool?: components["parameters"]["Tool"];
                /** @description Only calls before: an RFC 3339 time, or a day (UTC). */
                until?: string;
                /** @description Only of this user. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The calls. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        calls: components["schemas"]["Call"][];
                        next: components["schemas"]["Next"];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listClients: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clients. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        clients: components["schemas"]["Client"][];
                        next: components["schemas"]["Next"];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    createConnectSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What becomes of a service that the user has connected already. `ask`, the default: the same account replaces itself; for another one, or where the service does not say whose it is, the user chooses. `replace`: the account of `account_name`, or the only one, is replaced. `add`: one more, called `account_name`.
                     * @enum {string|null}
                     */
                    account?: "ask" | "replace" | "add" | null;
                    /** @description Which account is replaced, or the name of one that is added. */
                    account_name?: string | null;
                    /** @description Sites that may open the page in a popup, or in a frame where you have a redirect URI too, and get the answer. */
                    allowed_origins?: string[] | null;
                    /** @description What a tool needs in addition, as `extra` of the link to your `connect_uri` names it: its form is open. */
                    extra?: string | null;
                    /** @description Of the user, as a BCP 47 tag. Pages are in English so far. */
                    locale?: string | null;
                    /** @description One that is registered. */
                    redirect_uri: string;
                    /** @description In the order of their pages. */
                    services: string[];
                    /** @description 1 to 1024 printable ASCII characters, which come back with the code. */
                    state?: string | null;
                    user_id: string;
                    /** @description By service, and by `field` of its credentials: what the user would type otherwise and is no secret, such as the tenant. The page shows it, and the user cannot change it. */
                    values?: {
                        [key: string]: {
                            [key: string]: string;
                        };
                    } | null;
                };
            };
        };
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uri
                         * @description For this user's browser alone, at once.
                         */
                        connect_url: string;
                        /**
                         * Format: date-time
                         * @description Until when the first form of the page can be sent.
                         */
                        expires_at: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description The `cursor` of an earlier answer. Without it, from the oldest event that is kept. */
                after?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events after the cursor, the oldest first. Events are kept for 30 days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What to send as `after` for the events that follow, now or later. */
                        cursor: string;
                        events: components["schemas"]["Event"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    listFeedback: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feedback. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        feedback: components["schemas"]["Feedback"][];
                        next: components["schemas"]["Next"];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    listOwnGrants: {
        parameters: {
            query?: {
                /** @description Only of this OAuth client. */
                client_id?: string;
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
                /** @description Only what may use this service now, because its user is connected to it. */
                service?: string;
                /** @description Only of this user. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many there are, and the grants that live. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        grants: components["schemas"]["OwnGrant"][];
                        live: components["schemas"]["AccessCounts"];
                        next: components["schemas"]["Next"];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    revokeOwnGrants: {
        parameters: {
            query?: {
                /** @description `true` where nothing else is selected: everything of the partner. */
                all?: "true";
                /** @description Only of this OAuth client. */
                client_id?: string;
                /** @description Only what may use this service now, because its user is connected to it. */
                service?: string;
                /** @description Only of this user. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many were revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        revoked: components["schemas"]["AccessCounts"];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listIssuers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The issuers, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        issuers: components["schemas"]["Issuer"][];
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    registerIssuer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uri
                     * @description The `iss` of its assertions, to the letter.
                     */
                    issuer: string;
                    /** @description Public keys (RFC 7517 §5), in place of jwks_uri. */
                    jwks?: Record<string, never> | null;
                    /** Format: uri */
                    jwks_uri?: string | null;
                    /** @description The claim that holds the user_id; default: sub. */
                    subject_claim?: string | null;
                    /** @description The claim `tenant`, for an issuer that has several. */
                    tenant?: string | null;
                };
            };
        };
        responses: {
            /** @description The issuer was changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Issuer"];
                };
            };
            /** @description The issuer was added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Issuer"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    removeIssuer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The issuer is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listServices: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The services. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: components["schemas"]["Next"];
                        services: components["schemas"]["Service"][];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    listTeams: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The teams. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: components["schemas"]["Next"];
                        teams: components["schemas"]["Team"][];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    putTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A name has 1 to 30 letters, digits, spaces, hyphens and underscores, and begins and ends with a letter or digit. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description There is such a team. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    deleteTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        members: {
                            /** Format: date-time */
                            added_at: string;
                            user_id: string;
                        }[];
                        next: components["schemas"]["Next"];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    setMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Every member. All others are removed. */
                    user_ids: string[];
                };
            };
        };
        responses: {
            /** @description These are the members. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    addMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is a member. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is no member. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listShares: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shares, by service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        shares: components["schemas"]["Share"][];
                        team_id: string;
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    shareConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: string;
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description `account_name`, where the owner has several of the service. */
                    account?: string | null;
                    /**
                     * @description Whether members may only read.
                     * @default true
                     */
                    read_only?: boolean;
                    /** @description The owner of the connection. */
                    user_id: string;
                };
            };
        };
        responses: {
            /** @description The connection is shared. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    endShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: string;
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is no longer shared. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    getUpstreamClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A service that speaks OAuth. */
                service: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamClient"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    putUpstreamClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A service that speaks OAuth. */
                service: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description As the service calls the client. */
                    client_id: string;
                    /** @description Kept sealed, and never returned. Null for a public client. */
                    client_secret?: string | null;
                };
            };
        };
        responses: {
            /** @description The client is registered. Tokens of another client_id than before cannot be refreshed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpstreamClient"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    removeUpstreamClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A service that speaks OAuth. */
                service: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    sumUsage: {
        parameters: {
            query?: {
                /** @description What calls are grouped by: some of `day`, `service`, `tool` and `outcome`, separated by commas. */
                by?: string;
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
                /** @description Only calls that ended so. */
                outcome?: components["parameters"]["OutcomeFilter"];
                /** @description Only of this service. */
                service?: components["parameters"]["Service"];
                /** @description The first day (UTC). Default: 30 days before `until`; at most 92. */
                since?: string;
                /** @description Only of this tool, by the name that was called. */
                tool?: components["parameters"]["Tool"];
                /** @description The first day that is not counted. Default: tomorrow. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums, sorted by what they are grouped by. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: components["schemas"]["Next"];
                        /** Format: date */
                        since: string;
                        /** Format: date */
                        until: string;
                        usage: components["schemas"]["Usage"][];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The users. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: components["schemas"]["Next"];
                        users: components["schemas"]["User"][];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The activity. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activity: components["schemas"]["Activity"][];
                        next: components["schemas"]["Next"];
                        user_id: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    getAllowance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The allowance. Without one, nothing is limited, unless you require allowances: then `allows` is empty. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Allowance"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    putAllowance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WantedAllowance"];
            };
        };
        responses: {
            /** @description The allowance. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Allowance"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    approveTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolFacts"];
                "application/x-www-form-urlencoded": components["schemas"]["ToolFacts"];
            };
        };
        responses: {
            /** @description The tool is allowed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listUserClients: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clients. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        clients: components["schemas"]["UserClient"][];
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    registerUserClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How the consent page and the page of the user name it, marked as a name that no one has verified. */
                    client_name: string;
                    /** @description Public keys (RFC 7517 §5) for private_key_jwt, in place of jwks_uri. */
                    jwks?: Record<string, never> | null;
                    /** Format: uri */
                    jwks_uri?: string | null;
                    /** @description Where the consent page sends the user back to, with a code that you may exchange once or leave. */
                    redirect_uris: string[];
                    /**
                     * @default client_secret_basic
                     * @enum {string}
                     */
                    token_endpoint_auth_method?: "client_secret_basic" | "private_key_jwt";
                };
            };
        };
        responses: {
            /** @description The client. Its secret is not shown again. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserClient"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    removeUserClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                client_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listConnections: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connections, by service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        connections: components["schemas"]["Connection"][];
                        user_id: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    deleteConnection: {
        parameters: {
            query?: {
                /** @description `account_name` of the connection, needed only where the user has several accounts of the service. */
                account?: string;
            };
            header?: never;
            path: {
                service: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    renameConnection: {
        parameters: {
            query?: {
                /** @description `account_name` of the connection, needed only where the user has several accounts of the service. */
                account?: string;
            };
            header?: never;
            path: {
                service: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A name has 1 to 30 letters, digits, spaces, hyphens and underscores, and begins and ends with a letter or digit. */
                    account_name: string;
                };
            };
        };
        responses: {
            /** @description The connection as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    setEventSecret: {
        parameters: {
            query?: {
                /** @description `account_name` of the connection, needed only where the user has several accounts of the service. */
                account?: string;
            };
            header?: never;
            path: {
                service: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    secret: string;
                };
            };
        };
        responses: {
            /** @description The secret is set. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    addEventAddress: {
        parameters: {
            query?: {
                /** @description `account_name` of the connection, needed only where the user has several accounts of the service. */
                account?: string;
            };
            header?: never;
            path: {
                service: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address and its secret, which are shown this once. Enter both at the service. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description For services that let you choose the secret. If the service makes its own, send that with PUT. */
                        secret: string;
                        /** Format: uri */
                        url: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    deleteEventAddress: {
        parameters: {
            query?: {
                /** @description `account_name` of the connection, needed only where the user has several accounts of the service. */
                account?: string;
            };
            header?: never;
            path: {
                service: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no address. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listGrants: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. Absent: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description How many members a page has at most. */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grants that live. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        grants: components["schemas"]["Grant"][];
                        next: components["schemas"]["Next"];
                        user_id: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    revokeGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grant: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grant is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    narrowGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grant: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Narrowing"];
            };
        };
        responses: {
            /** @description The grant as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    createUserLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The page to open: the `page_url` of an approval, or the `target` that your connect page was asked for. Default: the page on which the user sees and takes back what is allowed. */
                    target?: string | null;
                };
            };
        };
        responses: {
            /** @description The link. It works once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Seconds.
                         * @constant
                         */
                        expires_in: 300;
                        url: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    dryRunTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tool: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description As an MCP client sends them.
                     * @default {}
                     */
                    arguments?: {
                        [key: string]: unknown;
                    };
                    /** @description Id of a grant of the user, which calls as its client may. Absent: nothing is left out or fixed. */
                    grant?: string;
                };
            };
        };
        responses: {
            /** @description The request, or the result that the call would have without one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description With `(credential)` in place of the credential. HTTP adds `host`, `connection` and `content-length`. Null: the call would send none. */
                        request: {
                            body: {
                                bytes: number;
                                media_type: string | null;
                                /** @description Null: it is binary, or has more than 64 KiB. */
                                text: string | null;
                            } | null;
                            headers: {
                                [key: string]: string;
                            };
                            method: string;
                            url: string;
                        } | null;
                        /** @description What an MCP client would get instead, such as an error. Null: there is a request. */
                        result: {
                            [key: string]: unknown;
                        } | null;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoints, the oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook_endpoints: components["schemas"]["WebhookEndpoint"][];
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["Error"];
        };
    };
    addWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The types of events that are sent; null for all. */
                    types?: string[] | null;
                    /**
                     * Format: uri
                     * @description An https URL on the public internet.
                     */
                    url: string;
                };
            };
        };
        responses: {
            /** @description The endpoint, with its secret, which is shown this once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        /** Format: date-time */
                        disabled_at: string | null;
                        /** @description by-partner, by-operator, failing (for a day), or gone (it answered 410). */
                        disabled_reason: string | null;
                        enabled: boolean;
                        /** Format: date-time */
                        failing_since: string | null;
                        id: string;
                        /** Format: date-time */
                        previous_secret_expires_at: string | null;
                        /** @description Signs what is sent, `whsec_...`. */
                        secret: string;
                        types: string[] | null;
                        /** Format: uri */
                        url: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    removeWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    changeWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An endpoint that is enabled again gets what waits for it. */
                    enabled?: boolean;
                    /** @description The types of events that are sent; null for all. */
                    types?: string[] | null;
                    /** Format: uri */
                    url?: string;
                };
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description The `next` of the previous page. */
                before?: string;
            };
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries, the newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["WebhookDelivery"][];
                        /** @description What to send as `before` for the next page. */
                        next: string | null;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery: string;
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new delivery, which waits. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Seconds for which the secret before signs too.
                     * @default 86400
                     */
                    previous_expires_in?: number;
                };
            };
        };
        responses: {
            /** @description The secret, which is shown this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        previous_expires_at: string | null;
                        secret: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which waits. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["Error"];
            429: components["responses"]["Error"];
        };
    };
    showConnectSession: {
        parameters: {
            query?: {
                /** @description For a frame, the site around it, which gets the answer; one of the session's `allowed_origins`, with a redirect URI of the partner. */
                frame?: string;
                /** @description For a popup, the site that gets the answer; one of the session's `allowed_origins`. */
                origin?: string;
                /** @description As in `connect_url`. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page of the next service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description To the address without the token, or back to the partner. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The session has expired, belongs to another browser, or does not name the origin or frame. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says that the partner is suspended, and whom to ask. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    continueConnectSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": Record<string, never>;
            };
        };
        responses: {
            /** @description In a popup, a page that hands the answer to the window that opened it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description To the next service, to the service's own sign-in, or back to the partner. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The page again, saying what is wrong; or the session is over. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The form came from another site, or the partner is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many credentials were tried. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The service could not be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The gateway is not registered at the service. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    getConnectScript: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The script. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
        };
    };
    beginConnect: {
        parameters: {
            query: {
                client_id: string;
                redirect_uri: string;
                state: string;
                user_id: string;
            };
            header?: never;
            path: {
                service: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Back to the application. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page that says what is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says that the partner is suspended, and whom to ask. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    continueConnect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": Record<string, never>;
            };
        };
        responses: {
            /** @description Back to the partner, with `code` and `state` or with `error`. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The page again, saying what is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The form came from another site, or the partner is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many refused credentials. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The service could not be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    receiveAuthorization: {
        parameters: {
            query?: {
                code?: string;
                error?: string;
                /** @description RFC 9207. */
                iss?: string;
                state?: string;
            };
            header?: never;
            path: {
                service: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In a popup, a page that hands the answer to the window that opened it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description To the next service, or back to the partner. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The page again, saying what the service answered; or it was open for too long. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says that the partner is suspended, and whom to ask. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The service could not be reached. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The service does not take the gateway's registration. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    getClientMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client metadata. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description No service uses OAuth. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getLlmsTxt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description It is still what `If-None-Match` names. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It should. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description It should not. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
}
/** What each type of event has in `data`. */
export interface EventData {
    /** A code was redeemed, and the user had no such connection. */
    "connection.created": { user_id: string; service: string; connection_id: string; account_name?: string };
    /** The service refused the credential: the user must connect it again. */
    "connection.attention": { user_id: string; service: string; connection_id: string; account_name?: string; /** `credential_refused` */ reason: string };
    /** A connection that needed attention has a credential that works. */
    "connection.recovered": { user_id: string; service: string; connection_id: string; account_name?: string };
    /** You, the user or an operator removed it. */
    "connection.removed": { user_id: string; service: string; connection_id: string; account_name?: string; /** `partner`, `user` or `operator` */ by: string };
    /** You or its owner shared it with a team, or changed whether members may write. `user_id` is the owner. */
    "connection.shared": { user_id: string; service: string; connection_id: string; account_name?: string; /** your name for the team */ team_id: string; /** `partner`, `user` or `operator` */ by: string };
    /** It is no longer shared with a team, and was not removed: someone ended that, or its owner connected another account in its place. */
    "connection.share_ended": { user_id: string; service: string; connection_id: string; account_name?: string; /** your name for the team */ team_id: string; /** `partner`, `user` or `operator` */ by: string };
    /** The user allowed a client, or you redeemed a code. */
    "grant.created": { user_id: string; /** id of the grant */ grant_id: string; /** `client_id` of the OAuth client; null: your own tokens */ client_id: string | null };
    /** Its refresh token was used from several networks at once: it may be stolen, or its client changed networks. Ask the user, or revoke it. */
    "grant.attention": { user_id: string; /** id of the grant */ grant_id: string; /** `client_id` of the OAuth client; null: your own tokens */ client_id: string | null };
    /** Somebody revoked it, or its code or refresh token was used twice. */
    "grant.revoked": { user_id: string; /** id of the grant */ grant_id: string; /** `client_id` of the OAuth client; null: your own tokens */ client_id: string | null; /** `revoked-by-user`, `revoked-by-client`, `revoked-by-partner`, `revoked-by-operator`, `issuer-removed`, `code-replayed` or `refresh-token-replayed` */ reason: string };
    /** A call waits for the approval of its user. Show it in your application, or send the user a link to its page. */
    "approval.requested": { user_id: string; service: string; connection_id: string; account_name?: string; /** id of the approval */ approval_id: string; /** name of the tool */ tool: string; /** the user's own page of this call, the `target` of a link; null: that page accepts no decisions */ page_url: string | null };
    /** A call that waited was approved or denied. */
    "approval.decided": { user_id: string; service: string; connection_id: string; account_name?: string; /** id of the approval */ approval_id: string; /** name of the tool */ tool: string; /** `approved` or `denied` */ decision: string; /** how: `page`, `partner` or `client` */ channel: string };
    /** The user is removed, with all connections and grants, which have no events of their own then. */
    "user.removed": { user_id: string };
    /** A tool was called by an old name: once a day for a connection and a name. */
    "tool.deprecated_called": { user_id: string; service: string; connection_id: string; account_name?: string; /** the old name */ called_as: string; /** the name to call */ tool: string; /** the day on which the old name ends; null: not decided */ until: string | null };
    /** An agent of the user says what it could not do: `GET /api/partner/feedback` has its text. */
    "feedback.received": { user_id: string; /** id of the feedback */ feedback_id: string; /** the tool that it names; null: none */ tool: string | null; /** `client_id` of the OAuth client; null: your own tokens */ client_id: string | null };
    "webhook.test": { webhook_endpoint_id: string };
}
