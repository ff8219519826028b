import { createDoctorCommand, type ServiceMachine } from '@public-api/cli/src/doctor-command.ts'
import { messageOf } from '@public-api/contract/errors/error-message'
import { readConfig } from './database.ts'
import { releasesOwnerWarnings } from './folder-owner.ts'
import { installedUnitWarnings, UNITS_FOLDER } from './installed-units.ts'

/** The service of this machine, if its URL is configured; with the folder of systemd's units. Throws a ConfigError. */
export function findMachine(units: string = UNITS_FOLDER): ServiceMachine | undefined {
  const { baseUrl, releasesDir } = readConfig(['SVC_BASE_URL', 'SVC_RELEASES_DIR'])
  if (baseUrl === undefined) return undefined
  return {
    origin: baseUrl,
    async check(report) {
      try {
        const owner = releasesOwnerWarnings(releasesDir)
        if (owner.length > 0) report('releases-owner', releasesDir, owner.join('; '))
        const old = installedUnitWarnings(units)
        if (old.length > 0) report('old-units', units, old.join('; '))
        return undefined
      } catch (error) {
        return messageOf(error)
      }
    },
  }
}

/** `svc doctor` of any service, and of the machine of this one. */
export const command = createDoctorCommand(
  'doctor [BASE] [options]',
  `
On the machine of a service, it is SVC_BASE_URL by default, and the doctor also
checks that all files in the releases folder have one owner, and that systemd has
the units of this release.`,
  () => findMachine(),
)
