# Written by `npm run generate` from the registry and the schemas of the contract.
"""Types of the data, and one method for each read endpoint."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, TypedDict
from urllib.parse import quote

from .verified import Verified

#: Path template of each read endpoint, by its name in the registry.
READ_PATHS: Mapping[str, str] = {
    "index": "/api/v1",
    "status": "/api/v1/status",
    "time": "/api/v1/time",
    "architecture": "/api/v1/architecture",
    "developmentQueue": "/api/v1/development-queue",
    "roadmap": "/api/v1/roadmap",
    "earlyAccess": "/api/v1/early-access",
    "wallet": "/api/v1/wallet",
    "walletArchitecture": "/api/v1/wallet/architecture",
    "walletSecurity": "/api/v1/wallet/security",
    "walletEvidence": "/api/v1/wallet/evidence",
    "walletCapabilities": "/api/v1/wallet/capabilities",
    "walletIntegration": "/api/v1/wallet/integration",
    "walletDevelopment": "/api/v1/wallet/development",
    "policy": "/api/v1/policy",
    "openapi": "/api/v1/openapi.json",
    "changelog": "/api/v1/changelog",
    "version": "/api/v1/version",
    "versions": "/api/v1/versions",
    "versionById": "/api/v1/versions/{snapshotId}",
    "keySelf": "/api/v1/keys/self",
    "signingKey": "/api/v1/keys/signing-key",
    "preview": "/api/v1/preview/{path}",
}


#: Targets that a copy of the service can replace: published resources, and the newest version.
COPIED_PATHS = frozenset(
    {
        "/api/v1/status",
        "/api/v1/architecture",
        "/api/v1/development-queue",
        "/api/v1/roadmap",
        "/api/v1/wallet",
        "/api/v1/wallet/architecture",
        "/api/v1/wallet/security",
        "/api/v1/wallet/evidence",
        "/api/v1/wallet/capabilities",
        "/api/v1/wallet/integration",
        "/api/v1/wallet/development",
        "/api/v1/changelog",
        "/api/v1/version",
    }
)

SAFE = "/!~*'()"


def path_with(template: str, value: str, *, may_be_empty: bool = False) -> str:
    """The path with a value for its parameter. Slashes separate segments; other characters are encoded.

    Raises a ValueError for an empty value, and for one that leads to another path.
    """
    path = template[: template.index("/{")]
    if not value and may_be_empty:
        return path
    if not value or {".", ".."}.intersection(value.split("/")):
        raise ValueError(f"{path}: expected a value without the segments . and .., found {value!r}")
    return f"{path}/{quote(value, safe=SAFE)}"


class _EndpointEntryRequired(TypedDict):
    """Members that every EndpointEntry has."""

    name: str
    """Name of the endpoint; also its `operationId` in the OpenAPI document."""
    method: str
    """HTTP method. A `GET` endpoint also supports `HEAD` and `OPTIONS`."""
    path: str
    """Path template."""
    summary: str
    """What it does."""
    stability: Literal["stable", "beta", "experimental"]
    """Stability level."""
    status: Literal["active", "preview", "deprecated"]
    """Registry status."""
    runtime: Literal["all", "local"]
    """Which runtimes serve it."""
    cacheClass: Literal["static-snapshot", "short-lived", "none"]
    """Cache class of its successful responses."""
    authentication: Literal["none", "api-key"]
    """Whether an API key is required."""


class EndpointEntry(_EndpointEntryRequired, total=False):
    """One endpoint."""

    deprecatedAt: str
    """When it was deprecated. Only on a deprecated endpoint. ISO 8601 UTC."""
    sunsetAt: str
    """The time until which it is available. Only on a deprecated endpoint. ISO 8601 UTC."""
    successor: str
    """Path of the endpoint to use instead. Only on a deprecated endpoint."""


class DocumentLinks(TypedDict):
    """Related documents, as paths on this origin."""

    index: str
    """The discovery index."""
    policy: str
    """The policy document."""
    openapi: str
    """The OpenAPI document."""
    docs: str
    """The reference documentation."""


class EndpointIndex(TypedDict):
    """Data of `GET /api/v1`. The discovery index."""

    apiVersion: str
    """The major version."""
    basePath: str
    """Base path of every endpoint."""
    registryVersion: str
    """Semantic version of the endpoint registry."""
    endpoints: List[EndpointEntry]
    """Every endpoint this runtime serves."""
    links: DocumentLinks
    """Related documents, as paths on this origin."""


class _StatusComponentRequired(TypedDict):
    """Members that every StatusComponent has."""

    id: str
    """Stable identifier of the component."""
    name: str
    """Name of the component."""
    summary: str
    """What the component does."""
    state: Literal["operational", "maintenance", "degraded", "partial_outage", "major_outage"]
    """State of this component."""
    since: str
    """Start of this state, in UTC."""


class StatusComponent(_StatusComponentRequired, total=False):
    """One component of the service and its state."""

    group: str
    """Name of the group that the component belongs to. Pages show the components of a group together."""
    note: str
    """Further details of this state."""


class IncidentUpdate(TypedDict):
    """One update during the incident."""

    at: str
    """When the update was published, in UTC."""
    state: Literal["investigating", "identified", "monitoring", "resolved"]
    """State of the incident at that time."""
    text: str
    """Text of the update."""


class _IncidentRequired(TypedDict):
    """Members that every Incident has."""

    id: str
    """Stable identifier of the incident."""
    title: str
    """What happened, in a few words."""
    state: Literal["investigating", "identified", "monitoring", "resolved"]
    """Progress of the incident."""
    impact: Literal["none", "minor", "major", "critical"]
    """How severely callers were affected."""
    startedAt: str
    """When the incident began, in UTC."""
    components: List[str]
    """Identifiers of the affected components."""
    updates: List[IncidentUpdate]
    """Updates during the incident, newest first."""


class Incident(_IncidentRequired, total=False):
    """One incident, from its start to its end."""

    resolvedAt: str
    """When the incident ended, in UTC. Present only if the state is `resolved`."""


class MaintenanceUpdate(TypedDict):
    """One update on the maintenance."""

    at: str
    """When the update was published, in UTC."""
    state: Literal["scheduled", "in_progress", "completed", "cancelled"]
    """State of the maintenance at that time."""
    text: str
    """Text of the update."""


class Maintenance(TypedDict):
    """One planned maintenance, from its announcement to its end."""

    id: str
    """Stable identifier of the maintenance."""
    title: str
    """The work in a few words."""
    state: Literal["scheduled", "in_progress", "completed", "cancelled"]
    """Progress of the maintenance. It changes only when the operator publishes it."""
    startsAt: str
    """Planned start, in UTC."""
    endsAt: str
    """Planned end, in UTC. After the start."""
    components: List[str]
    """Identifiers of the affected components."""
    updates: List[MaintenanceUpdate]
    """Updates on the maintenance, newest first."""


class _StatusRequired(TypedDict):
    """Members that every Status has."""

    state: Literal["operational", "maintenance", "degraded", "partial_outage", "major_outage"]
    """State of the whole service. Never better than the worst component."""
    summary: str
    """What the overall state means for callers, in a sentence or two."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    components: List[StatusComponent]
    """The components of the service, in display order."""
    incidents: List[Incident]
    """Incidents, newest first. Empty if there were none."""


class Status(_StatusRequired, total=False):
    """Data of `GET /api/v1/status`. State of the service and its components, as the operator last
    published it.
    """

    maintenances: List[Maintenance]
    """Planned maintenance, newest start first."""


class TimeQuality(TypedDict):
    """Quality of the time."""

    state: Literal["SYNCHRONIZED", "UNSYNCHRONIZED", "UNVERIFIED"]
    """`SYNCHRONIZED`: measured, and the absolute offset plus maximum error is at most 500 ms.
    `UNSYNCHRONIZED`: the sum is larger, or the source has not responded correctly for 180 s.
    `UNVERIFIED`: not measured.
    """
    source: Optional[str]
    """The time source of the measurement; `null` if no source is configured."""
    offsetMs: Optional[int]
    """Offset of this clock from the source, in milliseconds; `null` if not measured."""
    maxErrorMs: Optional[int]
    """Maximum error of the offset, in milliseconds; `null` if not measured."""
    checkedAt: Optional[str]
    """Time of the last measurement; `null` if never measured. ISO 8601 UTC."""


class Time(TypedDict):
    """Data of `GET /api/v1/time`. The UTC time of the server and its quality."""

    utc: str
    """The time. ISO 8601 UTC."""
    epochMs: int
    """The same time in milliseconds since 1970-01-01T00:00:00Z."""
    label: Literal["SERVER_UTC"]
    """Name of the clock: that of the server, in UTC."""
    quality: TimeQuality
    """Quality of the time."""


class ArchitectureComponent(TypedDict):
    """One component of the system."""

    id: str
    """Stable identifier of the component."""
    name: str
    """Name of the component."""
    kind: Literal["person", "program", "library", "store", "external"]
    """Kind of component: a person, a running program, a library inside one, a data store, or an external
    system.
    """
    state: Literal["live", "planned", "retired"]
    """Whether it is live, planned or retired."""
    role: str
    """Purpose of the component."""


# Members that every ArchitectureFlow has.
_ArchitectureFlowRequired = TypedDict(
    "_ArchitectureFlowRequired",
    {
        # Stable identifier of the flow.
        "id": str,
        # Identifier of the component that sends.
        "from": str,
        # Identifier of the component that receives.
        "to": str,
        # The data that is sent.
        "data": str,
        # Whether the flow is live, planned or retired.
        "state": Literal["live", "planned", "retired"],
    },
)


class ArchitectureFlow(_ArchitectureFlowRequired, total=False):
    """Data that one component sends to another."""

    means: str
    """How the data is sent."""


class Guarantee(TypedDict):
    """One guarantee."""

    id: str
    """Stable identifier of the guarantee."""
    title: str
    """The guarantee in a few words."""
    statement: str
    """What exactly is guaranteed."""
    verification: str
    """How anyone can verify it without trusting the operator."""


class Boundary(TypedDict):
    """Something the system does not do, and what ensures it."""

    id: str
    """Stable identifier of the boundary."""
    title: str
    """The boundary in a few words."""
    statement: str
    """What does not happen, and what ensures it."""


class Architecture(TypedDict):
    """Data of `GET /api/v1/architecture`. The components of the service, the data flows between them,
    its guarantees and its boundaries.
    """

    summary: str
    """The architecture in a few sentences."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    components: List[ArchitectureComponent]
    """The components, in reading order."""
    flows: List[ArchitectureFlow]
    """Data flows between the components."""
    guarantees: List[Guarantee]
    """Guarantees of the service, each with a way to verify it."""
    boundaries: List[Boundary]
    """What the service does not do."""


class _QueueItemRequired(TypedDict):
    """Members that every QueueItem has."""

    id: str
    """Stable identifier of the item."""
    title: str
    """The work in a few words."""
    summary: str
    """What will be done."""
    kind: Literal["feature", "fix", "security", "performance", "documentation", "maintenance"]
    """Kind of work."""
    state: Literal["queued", "in_progress", "in_review", "blocked", "done"]
    """Progress of the work."""
    priority: int
    """Priority: 1 is highest. Each item has a different one."""
    since: str
    """First day of this state, in UTC."""


class QueueItem(_QueueItemRequired, total=False):
    """One piece of work."""

    roadmapItem: str
    """Identifier of the roadmap item that this work implements."""
    blockedBy: List[str]
    """Identifiers of the queue items that must be done first."""


class DevelopmentQueue(TypedDict):
    """Data of `GET /api/v1/development-queue`. Work in progress and queued work, in order of priority."""

    summary: str
    """The queue in a few sentences."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    items: List[QueueItem]
    """The items, by priority."""


class _RoadmapItemRequired(TypedDict):
    """Members that every RoadmapItem has."""

    id: str
    """Stable identifier of the item. It does not change when the item moves."""
    title: str
    """The item in a few words."""
    summary: str
    """What will change for users when it is done."""
    horizon: Literal["now", "next", "later"]
    """`now`: in progress. `next`: follows. `later`: intended, not started."""


class RoadmapItem(_RoadmapItemRequired, total=False):
    """One planned outcome."""

    dependsOn: List[str]
    """Identifiers of the roadmap items that must be done first."""


class Roadmap(TypedDict):
    """Data of `GET /api/v1/roadmap`. Plans for now, next and later. Intentions, not commitments."""

    summary: str
    """What the roadmap covers and how binding it is."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    items: List[RoadmapItem]
    """The items, nearest horizon first, in the intended order."""


class RegistrationTarget(TypedDict):
    """Where to register."""

    method: str
    """HTTP method."""
    path: str
    """Path."""
    contentType: str
    """Media type of the body."""
    maxBodyBytes: int
    """Largest body, in bytes."""


class RegistrationForm(TypedDict):
    """Fields of a registration and their limits."""

    required: List[str]
    """Required fields."""
    optional: List[str]
    """Optional fields."""
    locales: List[str]
    """Accepted values of `locale`."""
    interests: List[str]
    """Accepted values of `interests`."""
    maxInterests: int
    """Maximum number of values in `interests`."""
    maxUseCaseLength: int
    """Longest `useCase`, in Unicode code points."""


class Challenge(TypedDict):
    """The human-verification challenge."""

    provider: Literal["altcha", "turnstile", "hcaptcha", "test"]
    """Provider of the challenge."""
    path: Optional[str]
    """Path of the challenge on this service; `null` for a hosted challenge, and while registration is
    unavailable.
    """
    siteKey: Optional[str]
    """Public site key of a hosted challenge; `null` otherwise."""


class EarlyAccess(TypedDict):
    """Data of `GET /api/v1/early-access`. Whether the waitlist is open and how to join it."""

    state: Literal["open", "unavailable"]
    """Whether the waitlist accepts registrations now."""
    note: str
    """Explanation of the state, in English."""
    registration: RegistrationTarget
    """Where to register."""
    form: RegistrationForm
    """Fields of a registration and their limits."""
    challenge: Challenge
    """The human-verification challenge."""
    privacy: List[str]
    """What is stored about a registration."""


class WalletNetwork(TypedDict):
    """One network."""

    id: str
    """Stable identifier of the network."""
    name: str
    """Name of the network."""
    environment: Literal["main", "test"]
    """Whether its assets have value (`main`) or not (`test`)."""


class WalletView(TypedDict):
    """One view and its endpoint."""

    id: str
    """Stable identifier of the view."""
    path: str
    """Path of the endpoint."""
    summary: str
    """What the view is about."""


class Wallet(TypedDict):
    """Data of `GET /api/v1/wallet`. Whether a wallet is attached, which networks it would cover and what
    these views never do.
    """

    attached: bool
    """Whether a wallet is attached to this service. The same in every wallet view."""
    summary: str
    """The view in a sentence or two."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    networks: List[WalletNetwork]
    """Networks that the attached wallet uses. Empty while no wallet is attached."""
    views: List[WalletView]
    """The other wallet views."""
    boundaries: List[Boundary]
    """What these views never do, with or without a wallet."""


class WalletArchitecture(TypedDict):
    """Data of `GET /api/v1/wallet/architecture`. The components of the wallet and how they are isolated
    from this service.
    """

    attached: bool
    """Whether a wallet is attached to this service. The same in every wallet view."""
    summary: str
    """The view in a sentence or two."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    components: List[ArchitectureComponent]
    """The components that publish wallet views, and those of the wallet if one is attached."""
    flows: List[ArchitectureFlow]
    """Data flows between the components."""
    boundaries: List[Boundary]
    """What no component does."""


class WalletControl(TypedDict):
    """One control."""

    id: str
    """Stable identifier of the control."""
    title: str
    """The control in a few words."""
    statement: str
    """What it does."""
    state: Literal["in_place", "planned", "retired"]
    """Whether the control is in place, planned or retired."""


class _WalletReviewRequired(TypedDict):
    """Members that every WalletReview has."""

    id: str
    """Stable identifier of the review."""
    title: str
    """The review in a few words."""
    reviewer: str
    """The reviewer."""
    completedOn: str
    """When it was completed (UTC date)."""
    scope: str
    """Scope of the review."""


class WalletReview(_WalletReviewRequired, total=False):
    """One review."""

    reportUrl: str
    """URL of the report."""


class WithheldData(TypedDict):
    """One kind of data that is never published."""

    id: str
    """Stable identifier of the entry."""
    title: str
    """What is never published."""
    reason: str
    """The reason, or what prevents it."""


class WalletSecurity(TypedDict):
    """Data of `GET /api/v1/wallet/security`. Who holds the keys, which controls are in place, and who
    reviewed what.
    """

    attached: bool
    """Whether a wallet is attached to this service. The same in every wallet view."""
    summary: str
    """The view in a sentence or two."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    custody: Literal["none", "own", "shared", "third_party"]
    """Who holds the signing keys: `none` (no wallet), the organization, several parties together, or a
    third party.
    """
    controls: List[WalletControl]
    """Controls that protect the wallet or, without one, these views."""
    reviews: List[WalletReview]
    """Independent reviews, newest first. Empty if there were none."""
    neverPublished: List[WithheldData]
    """What these views never contain."""


class _WalletEvidenceItemRequired(TypedDict):
    """Members that every WalletEvidenceItem has."""

    id: str
    """Stable identifier of the evidence."""
    title: str
    """The evidence in a few words."""
    kind: Literal["signed_statement", "audit_report", "proof_of_reserves", "test_report"]
    """Kind of evidence."""
    statement: str
    """What it shows."""
    producedOn: str
    """When it was produced (UTC date)."""
    verification: str
    """How anyone can verify it."""


class WalletEvidenceItem(_WalletEvidenceItemRequired, total=False):
    """One piece of evidence."""

    documentUrl: str
    """URL of the document."""
    documentSha256: str
    """SHA-256 of the document, in lower-case hexadecimal."""


class WalletEvidence(TypedDict):
    """Data of `GET /api/v1/wallet/evidence`. Published evidence about the wallet that anyone can verify."""

    attached: bool
    """Whether a wallet is attached to this service. The same in every wallet view."""
    summary: str
    """The view in a sentence or two."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    evidence: List[WalletEvidenceItem]
    """Pieces of evidence, newest first. Empty while no wallet is attached."""


class WalletCapability(TypedDict):
    """One capability."""

    id: str
    """Stable identifier of the capability."""
    title: str
    """The capability in a few words."""
    summary: str
    """What it means."""
    state: Literal["available", "planned", "unavailable", "never"]
    """Whether it is available, planned, unavailable, or excluded by design."""
    needsWallet: bool
    """Whether it requires an attached wallet."""


class WalletCapabilities(TypedDict):
    """Data of `GET /api/v1/wallet/capabilities`. What the wallet views can do, what is planned, and what
    they will never do.
    """

    attached: bool
    """Whether a wallet is attached to this service. The same in every wallet view."""
    summary: str
    """The view in a sentence or two."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    capabilities: List[WalletCapability]
    """The capabilities."""


class WalletInterface(TypedDict):
    """One interface."""

    id: str
    """Stable identifier of the interface."""
    title: str
    """The interface in a few words."""
    direction: Literal["outbound", "inbound"]
    """`outbound`: this service sends data. `inbound`: it receives data."""
    state: Literal["live", "planned", "retired"]
    """Whether the interface is live, planned or retired."""
    summary: str
    """The data it carries."""


class WalletIntegration(TypedDict):
    """Data of `GET /api/v1/wallet/integration`. The interfaces between the wallet views and other
    systems, and the data they carry.
    """

    attached: bool
    """Whether a wallet is attached to this service. The same in every wallet view."""
    summary: str
    """The view in a sentence or two."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    interfaces: List[WalletInterface]
    """The interfaces."""


class WalletWorkItem(TypedDict):
    """One piece of work."""

    id: str
    """Stable identifier of the item."""
    title: str
    """The work in a few words."""
    summary: str
    """What will be done."""
    horizon: Literal["now", "next", "later"]
    """Planned horizon."""
    state: Literal["queued", "in_progress", "in_review", "blocked", "done"]
    """Progress of the work."""
    since: str
    """First day of this state, in UTC."""


class WalletDevelopment(TypedDict):
    """Data of `GET /api/v1/wallet/development`. Work on the wallet views and on attaching a wallet."""

    attached: bool
    """Whether a wallet is attached to this service. The same in every wallet view."""
    summary: str
    """The view in a sentence or two."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    items: List[WalletWorkItem]
    """The work, nearest horizon first."""


class PolicyRuntime(TypedDict):
    """What the `runtime` values of an endpoint mean."""

    values: Dict[str, str]
    """Meaning of each `runtime` value."""
    default: str
    """`runtime` value of an endpoint that does not state it."""


class PolicyAuthenticationKey(TypedDict):
    """Properties of a key."""

    format: str
    """Format of a key."""
    scope: Literal["read"]
    """What the key may do."""
    defaultTtlDays: int
    """Default time to live of a key, in days."""
    maxTtlDays: int
    """Longest time to live, in days."""
    storage: str
    """What is stored for a key."""


class _PolicyAuthenticationIssuanceRequired(TypedDict):
    """Members that every PolicyAuthenticationIssuance has."""

    enabled: bool
    """Whether keys are issued."""


class PolicyAuthenticationIssuance(_PolicyAuthenticationIssuanceRequired, total=False):
    """Whether keys are issued."""

    reason: str
    """Why issuance is paused. Only while it is paused."""
    approvedBy: str
    """Who approved it. Only while issuance is enabled."""
    approvedAt: str
    """Date of the approval. Only while issuance is enabled."""
    reference: str
    """Where the approval is recorded. Only while issuance is enabled."""


class PolicyAuthentication(TypedDict):
    """How keys are sent and what they allow."""

    required: bool
    """Whether public reads need authentication."""
    accounts: bool
    """Whether accounts exist."""
    schemes: List[str]
    """Headers in which a key is accepted."""
    keyInUrl: bool
    """Whether a key in a URL is accepted."""
    key: PolicyAuthenticationKey
    """Properties of a key."""
    issuance: PolicyAuthenticationIssuance
    """Whether keys are issued."""
    rules: List[str]
    """Rules of the key check."""


class PolicyVersioning(TypedDict):
    """How versions work."""

    scheme: str
    """Where the version is stated."""
    current: str
    """The current major version."""
    registryVersion: str
    """Semantic version of the endpoint registry."""
    additive: str
    """How additive changes ship."""
    breaking: str
    """How breaking changes ship."""
    header: str
    """Header that reports the major version."""
    history: str
    """Path of the version history."""


class DeprecatedEndpoint(TypedDict):
    """One deprecated endpoint."""

    method: str
    """HTTP method."""
    path: str
    """Path template."""
    deprecatedAt: str
    """When it was deprecated. ISO 8601 UTC."""
    sunsetAt: str
    """The time until which it is available. ISO 8601 UTC."""
    successor: str
    """Path of the endpoint to use instead."""


class PolicyDeprecation(TypedDict):
    """How endpoints are deprecated."""

    noticeDays: int
    """Minimum notice, in days."""
    appliesTo: str
    """Stability level that the promise covers."""
    signals: List[str]
    """How it is announced."""
    requires: List[str]
    """What a deprecation requires."""
    statuses: Dict[str, str]
    """Registry statuses and what each means."""
    endpoints: List[DeprecatedEndpoint]
    """Endpoints that are currently deprecated."""


class CacheClass(TypedDict):
    """One cache class."""

    cacheControl: str
    """Value of `Cache-Control`."""
    meaning: str
    """What it means."""


class PolicyCaching(TypedDict):
    """Cache classes and validators."""

    classes: Dict[str, CacheClass]
    """Cache classes, by name."""
    errors: str
    """`Cache-Control` of every error."""
    etag: str
    """How the entity tag is computed."""
    conditional: str
    """Response to a matching `If-None-Match`."""
    vary: str
    """Value of `Vary` on cacheable reads."""


class PolicyCors(TypedDict):
    """Cross-origin rules of the read endpoints."""

    allowOrigin: str
    """Allowed origins."""
    allowMethods: List[str]
    """Allowed methods."""
    allowHeaders: List[str]
    """Allowed request headers."""
    exposeHeaders: List[str]
    """Response headers a page may read."""
    allowCredentials: bool
    """Whether credentials are allowed."""
    maxAgeSeconds: int
    """How long a preflight may be cached, in seconds."""
    writes: str
    """The rule for write endpoints."""


class PolicyHeaders(TypedDict):
    """Header fields this API reads and sends."""

    request: Dict[str, str]
    """Request headers it reads."""
    response: Dict[str, str]
    """Response headers it may send."""


class PolicyLimits(TypedDict):
    """Limits of requests."""

    maxBodyBytes: int
    """Largest request body, in bytes."""
    requestContentType: str
    """Media type of a request body."""
    responseContentType: str
    """Media type of a response."""
    maxUseCaseLength: int
    """Longest `useCase`, in Unicode code points."""
    maxEmailLength: int
    """Longest email address, in characters."""
    maxInterests: int
    """Maximum number of values in `interests`."""
    labelPattern: str
    """Pattern of the `label` of an API key."""
    minTtlDays: int
    """Shortest time to live of a key, in days."""
    defaultTtlDays: int
    """Default time to live of a key, in days."""
    maxTtlDays: int
    """Longest time to live of a key, in days."""
    maxActiveKeys: int
    """Maximum number of active keys."""


class RateLimitRule(TypedDict):
    """Requests per fixed window."""

    requests: int
    """Requests in one window."""
    windowSeconds: int
    """Length of the fixed window, in seconds."""


class PolicyRateLimiting(TypedDict):
    """Rate limits."""

    anonymousReads: str
    """The rule for reads without a key."""
    registrationGlobal: RateLimitRule
    """Requests per fixed window."""
    registrationPerActor: RateLimitRule
    """Requests per fixed window."""
    keyedRequests: RateLimitRule
    """Requests per fixed window."""
    keyIssuance: RateLimitRule
    """Requests per fixed window."""
    actor: str
    """What an actor is."""
    headers: List[str]
    """Headers that report the quota of a key."""


class PolicySecuritySigning(TypedDict):
    """The response signature."""

    algorithm: str
    """Signature algorithm."""
    signedText: List[str]
    """Lines of the text that is signed for a response."""
    revalidationText: List[str]
    """Lines of the text that is signed for a `304`."""
    contentDigest: str
    """Format of `Content-Digest`."""
    maxAgeSeconds: int
    """Age at which a verifier refuses a signature, in seconds."""
    keyDocument: str
    """Path of the signing-key document."""
    pinning: str
    """How a client detects a clone of this origin."""


class PolicySecurity(TypedDict):
    """How responses are signed and what is never stored."""

    signing: PolicySecuritySigning
    """The response signature."""
    privacy: List[str]
    """What is never stored."""
    isolation: List[str]
    """What this service cannot reach."""


class _ErrorCatalogEntryRequired(TypedDict):
    """Members that every ErrorCatalogEntry has."""

    code: str
    """The code."""
    status: int
    """HTTP status."""
    retryable: bool
    """Whether the same request may succeed later."""
    meaning: str
    """What it means."""


class ErrorCatalogEntry(_ErrorCatalogEntryRequired, total=False):
    """One code."""

    retryAfterSeconds: int
    """Longest wait, in seconds. Only if it is known."""


class PolicyErrors(TypedDict):
    """The error catalog."""

    schema: str
    """Name of the schema of the error envelope."""
    cacheControl: str
    """`Cache-Control` of every error."""
    catalog: List[ErrorCatalogEntry]
    """Every code."""


class PolicySummary(TypedDict):
    """Counts of the registry."""

    endpoints: int
    """Number of endpoints."""
    byStability: Dict[str, int]
    """Endpoints by stability level."""
    byStatus: Dict[str, int]
    """Endpoints by registry status."""
    byCachePolicy: Dict[str, int]
    """Endpoints by cache class."""


class Policy(TypedDict):
    """Data of `GET /api/v1/policy`. What this API promises, for programs and auditors."""

    schema: Literal["svc.public.api.policy.v1"]
    """Name of the schema of this document."""
    note: str
    """What this document is."""
    audience: str
    """Who the API is for."""
    runtime: PolicyRuntime
    """What the `runtime` values of an endpoint mean."""
    authentication: PolicyAuthentication
    """How keys are sent and what they allow."""
    versioning: PolicyVersioning
    """How versions work."""
    stability: Dict[str, str]
    """Stability levels and what each promises."""
    deprecation: PolicyDeprecation
    """How endpoints are deprecated."""
    caching: PolicyCaching
    """Cache classes and validators."""
    cors: PolicyCors
    """Cross-origin rules of the read endpoints."""
    headers: PolicyHeaders
    """Header fields this API reads and sends."""
    limits: PolicyLimits
    """Limits of requests."""
    rateLimiting: PolicyRateLimiting
    """Rate limits."""
    security: PolicySecurity
    """How responses are signed and what is never stored."""
    errors: PolicyErrors
    """The error catalog."""
    apiVersion: str
    """The major version."""
    basePath: str
    """Base path of every endpoint."""
    registryVersion: str
    """Semantic version of the endpoint registry."""
    links: DocumentLinks
    """Related documents, as paths on this origin."""
    summary: PolicySummary
    """Counts of the registry."""


class OpenApiDocument(TypedDict):
    """Data of `GET /api/v1/openapi.json`. An OpenAPI 3.0.3 document."""

    openapi: str
    """Version of the OpenAPI specification."""
    info: Dict[str, Any]
    """Title, version and description."""
    paths: Dict[str, Any]
    """Operations by path and method."""


class _ChangelogChangeRequired(TypedDict):
    """Members that every ChangelogChange has."""

    kind: Literal["added", "changed", "deprecated", "removed", "fixed", "security"]
    """Kind of change."""
    text: str
    """What changed and what it means for a caller."""


class ChangelogChange(_ChangelogChangeRequired, total=False):
    """One change, as seen by callers of the API."""

    endpoints: List[str]
    """The affected endpoints, each as method and path."""
    sunsetOn: str
    """For a deprecation: the last UTC date on which the endpoints work."""
    replacement: str
    """For a deprecation: the endpoint to use instead."""


class _ChangelogReleaseRequired(TypedDict):
    """Members that every ChangelogRelease has."""

    version: str
    """Version of the service software (Semantic Versioning)."""
    date: str
    """UTC date of the release."""
    changes: List[ChangelogChange]
    """The changes, grouped by kind in the order `added` to `security`."""


class ChangelogRelease(_ChangelogReleaseRequired, total=False):
    """One released version."""

    summary: str
    """The release in a sentence."""


class Changelog(TypedDict):
    """Data of `GET /api/v1/changelog`. What changed for callers of the API, by released version."""

    summary: str
    """What the changelog covers."""
    updatedAt: str
    """When the operator last reviewed this snapshot, in UTC."""
    unreleased: List[ChangelogChange]
    """Changes that are decided but not released yet."""
    releases: List[ChangelogRelease]
    """Released versions, newest first."""


class ResourceChange(TypedDict):
    """One change."""

    resource: str
    """The resource, by its path below the base path."""
    kind: Literal["added", "changed", "removed"]
    """Kind of the change."""


class VersionEntry(TypedDict):
    """Data of `GET /api/v1/version` and `GET /api/v1/versions/{snapshotId}`. One entry of the version
    history.
    """

    snapshotId: str
    """ID of the version."""
    sequence: int
    """Position in the history, starting with 1."""
    createdAt: str
    """When it was published. ISO 8601 UTC."""
    previousHash: str
    """Hash of the previous version; 64 zeros for the first."""
    hash: str
    """SHA-256 over a label line and the canonical JSON of this entry without its `hash`."""
    apiVersion: str
    """Major version of the API at the time."""
    registryVersion: str
    """Registry version at the time."""
    resources: Dict[str, str]
    """Digest of each published resource, by path below the base path."""
    changes: List[ResourceChange]
    """Changes from the previous version."""
    note: str
    """Release note of the operator."""


class VersionHead(TypedDict):
    """The newest version."""

    snapshotId: str
    """ID of the newest version."""
    hash: str
    """Hash of the newest version."""


class VersionSummary(TypedDict):
    """One version."""

    snapshotId: str
    """ID of the version."""
    sequence: int
    """Position in the history, starting with 1."""
    createdAt: str
    """When it was published. ISO 8601 UTC."""
    previousHash: str
    """Hash of the previous version; 64 zeros for the first."""
    hash: str
    """SHA-256 over a label line and the canonical JSON of this entry without its `hash`."""


class VersionIndex(TypedDict):
    """Data of `GET /api/v1/versions`. The hash-chained index of all versions."""

    algorithm: str
    """How the hashes are computed."""
    count: int
    """Number of versions in the whole history."""
    head: VersionHead
    """The newest version."""
    entries: List[VersionSummary]
    """Every version, or those of the requested page, newest first."""


class KeyQuota(TypedDict):
    """Quota of the key in the current window."""

    limit: int
    """Requests in one window."""
    remaining: int
    """Requests that remain in this window."""
    resetSeconds: int
    """Seconds until the window ends."""
    windowSeconds: int
    """Length of the window, in seconds."""


class KeyMetadata(TypedDict):
    """Data of `GET /api/v1/keys/self`. Metadata of an API key. Never includes the secret."""

    keyId: str
    """The public part of the key."""
    scope: Literal["read"]
    """What the key may do."""
    label: Optional[str]
    """A name that its holder gives the key."""
    status: Literal["active"]
    """State of the key."""
    createdAt: str
    """When it was issued. ISO 8601 UTC."""
    expiresAt: str
    """When it expires. ISO 8601 UTC."""
    quota: KeyQuota
    """Quota of the key in the current window."""


class JsonWebKey(TypedDict):
    """The key as a JSON Web Key (RFC 8037; `alg` as in RFC 9864)."""

    kty: str
    """Key type."""
    crv: str
    """Curve."""
    x: str
    """The public key, base64url."""
    alg: str
    """Algorithm."""
    use: str
    """Purpose of the key: `sig`, for signatures."""
    kid: str
    """The key ID."""


class SigningKey(TypedDict):
    """One public key."""

    keyId: str
    """RFC 7638 thumbprint of the key."""
    status: Literal["current", "next", "retired"]
    """`current`: signs now. `next`: will sign later. `retired`: no longer signs."""
    jwk: JsonWebKey
    """The key as a JSON Web Key (RFC 8037; `alg` as in RFC 9864)."""
    publicKeyPem: str
    """The key as PEM (SubjectPublicKeyInfo), for openssl."""
    notBefore: Optional[str]
    """Start of its signing period; `null` if not stated. ISO 8601 UTC."""
    notAfter: Optional[str]
    """End of its signing period; `null` if not stated. ISO 8601 UTC."""


class SigningKeyDocumentHeaders(TypedDict):
    """Names of the response headers that carry the proof."""

    contentDigest: str
    """Digest of the body (RFC 9530)."""
    signedAt: str
    """Time of the signature."""
    signature: str
    """The signature, base64."""
    revalidated: str
    """Time and signature of a `304`."""


class LogKey(TypedDict):
    """A key of the log."""

    vkey: str
    """Verifier key (c2sp.org/signed-note)."""
    status: Literal["current", "retiring"]
    """Status in the rotation: `retiring` keys sign until they are removed."""


class SigningKeyDocumentLog(TypedDict):
    """The transparency log of the versions. Missing if the service has none."""

    origin: str
    """Identity of the log."""
    url: str
    """Address of the log."""
    keys: List[LogKey]
    """The keys that sign the log, the current one first."""


class _SigningKeyDocumentRequired(TypedDict):
    """Members that every SigningKeyDocument has."""

    keyId: str
    """ID of the current signing key."""
    algorithm: Literal["Ed25519"]
    """Signature algorithm."""
    keys: List[SigningKey]
    """Every published key, the current one first."""
    signedText: List[str]
    """Lines of the text that is signed for a response, joined by newlines. Parts in braces are
    placeholders.
    """
    revalidationText: List[str]
    """Lines of the text that is signed for a `304`, joined by newlines. Parts in braces are
    placeholders.
    """
    headers: SigningKeyDocumentHeaders
    """Names of the response headers that carry the proof."""
    maxAgeSeconds: int
    """Age at which a verifier refuses a signature, in seconds."""


class SigningKeyDocument(_SigningKeyDocumentRequired, total=False):
    """Data of `GET /api/v1/keys/signing-key`. The public keys that verify response signatures, and the
    format of the signed texts.
    """

    log: SigningKeyDocumentLog
    """The transparency log of the versions. Missing if the service has none."""


class Reads:
    """One method for each read endpoint. ``fresh`` bypasses every cache."""

    def _read(self, path: str, fresh: bool) -> Verified[Any]:
        raise NotImplementedError

    def index(self, *, fresh: bool = False) -> Verified[EndpointIndex]:
        """List the endpoints: `GET /api/v1`.

        Every endpoint with its method, path, stability, status, cache class and authentication.
        """
        return self._read(READ_PATHS["index"], fresh)

    def status(self, *, fresh: bool = False) -> Verified[Status]:
        """Get the status: `GET /api/v1/status`.

        The state of each component, as the operator last published it, and recent incidents.
        """
        return self._read(READ_PATHS["status"], fresh)

    def time(self, *, fresh: bool = False) -> Verified[Time]:
        """Get the server time: `GET /api/v1/time`.

        The UTC time of the server (label `SERVER_UTC`) and its quality, measured against a time source.
        Without a measurement, the quality is `UNVERIFIED`.
        """
        return self._read(READ_PATHS["time"], fresh)

    def architecture(self, *, fresh: bool = False) -> Verified[Architecture]:
        """Get the architecture: `GET /api/v1/architecture`.

        The components of the service, the data flows between them and the guarantees it gives.
        """
        return self._read(READ_PATHS["architecture"], fresh)

    def development_queue(self, *, fresh: bool = False) -> Verified[DevelopmentQueue]:
        """Get the development queue: `GET /api/v1/development-queue`.

        Work in progress and planned work, in order of priority.
        """
        return self._read(READ_PATHS["developmentQueue"], fresh)

    def roadmap(self, *, fresh: bool = False) -> Verified[Roadmap]:
        """Get the roadmap: `GET /api/v1/roadmap`.

        Plans for now, next and later. They state intent, not dates.
        """
        return self._read(READ_PATHS["roadmap"], fresh)

    def early_access(self, *, fresh: bool = False) -> Verified[EarlyAccess]:
        """Get the waitlist status: `GET /api/v1/early-access`.

        Whether registration is open, which challenge it requires, the fields and limits of the form, and
        what is stored of a registration.
        """
        return self._read(READ_PATHS["earlyAccess"], fresh)

    def wallet(self, *, fresh: bool = False) -> Verified[Wallet]:
        """Get the wallet overview: `GET /api/v1/wallet`. Stability: beta.

        What the wallet views contain and whether a wallet is attached.
        """
        return self._read(READ_PATHS["wallet"], fresh)

    def wallet_architecture(self, *, fresh: bool = False) -> Verified[WalletArchitecture]:
        """Get the wallet architecture: `GET /api/v1/wallet/architecture`. Stability: beta.

        How a wallet would be isolated from this service.
        """
        return self._read(READ_PATHS["walletArchitecture"], fresh)

    def wallet_security(self, *, fresh: bool = False) -> Verified[WalletSecurity]:
        """Get the wallet security: `GET /api/v1/wallet/security`. Stability: beta.

        The rules that keep wallet secrets out of this service.
        """
        return self._read(READ_PATHS["walletSecurity"], fresh)

    def wallet_evidence(self, *, fresh: bool = False) -> Verified[WalletEvidence]:
        """Get the wallet evidence: `GET /api/v1/wallet/evidence`. Stability: beta.

        Evidence for the statements in the other wallet views.
        """
        return self._read(READ_PATHS["walletEvidence"], fresh)

    def wallet_capabilities(self, *, fresh: bool = False) -> Verified[WalletCapabilities]:
        """Get the wallet capabilities: `GET /api/v1/wallet/capabilities`. Stability: beta.

        What the wallet views can do, and what they never will.
        """
        return self._read(READ_PATHS["walletCapabilities"], fresh)

    def wallet_integration(self, *, fresh: bool = False) -> Verified[WalletIntegration]:
        """Get the wallet integrations: `GET /api/v1/wallet/integration`. Stability: beta.

        Which systems a wallet integrates with, and the state of each integration.
        """
        return self._read(READ_PATHS["walletIntegration"], fresh)

    def wallet_development(self, *, fresh: bool = False) -> Verified[WalletDevelopment]:
        """Get the wallet development: `GET /api/v1/wallet/development`. Stability: beta.

        The state of the work on the wallet.
        """
        return self._read(READ_PATHS["walletDevelopment"], fresh)

    def policy(self, *, fresh: bool = False) -> Verified[Policy]:
        """Get the policy: `GET /api/v1/policy`.

        The promises of this API in machine-readable form: versioning, stability, deprecation, caching,
        CORS, limits, authentication, security and the error catalog.
        """
        return self._read(READ_PATHS["policy"], fresh)

    def openapi(self, *, fresh: bool = False) -> Verified[OpenApiDocument]:
        """Get the OpenAPI document: `GET /api/v1/openapi.json`.

        This API as an OpenAPI 3.0.3 document. The only success response without an envelope.
        """
        return self._read(READ_PATHS["openapi"], fresh)

    def changelog(self, *, fresh: bool = False) -> Verified[Changelog]:
        """Get the changelog: `GET /api/v1/changelog`.

        Notable changes, newest first, grouped as in Keep a Changelog.
        """
        return self._read(READ_PATHS["changelog"], fresh)

    def version(self, *, fresh: bool = False) -> Verified[VersionEntry]:
        """Get the latest version: `GET /api/v1/version`.

        The latest entry of the version history: the digest of every published resource, and the hash of the
        previous entry.
        """
        return self._read(READ_PATHS["version"], fresh)

    def versions(self, *, fresh: bool = False) -> Verified[VersionIndex]:
        """Get the version history: `GET /api/v1/versions`.

        All versions as a hash-chained index, newest first. With `limit` or `before`, the response is one
        page of it, and the `Link` header with `rel="next"` leads to the next page.
        """
        return self._read(READ_PATHS["versions"], fresh)

    def version_by_id(self, value: str, *, fresh: bool = False) -> Verified[VersionEntry]:
        """Get a version: `GET /api/v1/versions/{snapshotId}`.

        One entry of the version history by its ID.

        value: ID of the version.
        """
        return self._read(path_with(READ_PATHS["versionById"], value), fresh)

    def key_self(self, *, fresh: bool = False) -> Verified[KeyMetadata]:
        """Get the current API key: `GET /api/v1/keys/self`. Stability: beta.

        The metadata of the key in the request and its remaining quota. Never includes the secret.
        """
        return self._read(READ_PATHS["keySelf"], fresh)

    def signing_key(self, *, fresh: bool = False) -> Verified[SigningKeyDocument]:
        """Get the signing key: `GET /api/v1/keys/signing-key`. Stability: beta.

        The public key that verifies response signatures, and the format of the signed texts. A clone of
        this origin would show its own key: get the key ID from another source and accept no other.
        """
        return self._read(READ_PATHS["signingKey"], fresh)

    def preview(self, value: str = "", *, fresh: bool = False) -> Verified[Any]:
        """Reserved for previews: `GET /api/v1/preview/{path}`. Stability: beta.

        A namespace for future endpoints. It is disabled: every read fails with 403 `PREVIEW_NOT_ENABLED`.

        value: Any path below the namespace.
        """
        return self._read(path_with(READ_PATHS["preview"], value, may_be_empty=True), fresh)
