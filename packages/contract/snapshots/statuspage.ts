import type { SnapshotData } from './snapshot-schemas.ts'

type Status = SnapshotData<'status'>

/** `page.id` of the documents for Statuspage's readers. An import keeps the ids of a page with this one. */
export const STATUSPAGE_ID = 'svc.public.status'

/** Our names of a component's state to those of Statuspage. */
export const STATUSPAGE_COMPONENT_STATUS = {
  operational: 'operational',
  maintenance: 'under_maintenance',
  degraded: 'degraded_performance',
  partial_outage: 'partial_outage',
  major_outage: 'major_outage',
} as const satisfies { readonly [State in Status['components'][number]['state']]: string }

/** Our names of the whole state to Statuspage's indicators. */
export const STATUSPAGE_INDICATOR = {
  operational: 'none',
  maintenance: 'maintenance',
  degraded: 'minor',
  partial_outage: 'major',
  major_outage: 'critical',
} as const satisfies { readonly [State in Status['state']]: string }
