import { createDoctorCommand, type ServiceMachine } from '@public-api/cli/src/doctor-command.ts'
import { messageOf } from '@public-api/contract/errors/error-message'
import { readConfig } from './database.ts'
import { releasesOwnerWarnings } from './folder-owner.ts'

/** The service of this machine, if its URL is configured. */
function findMachine(): ServiceMachine | undefined {
  const { baseUrl, releasesDir } = readConfig(['SVC_BASE_URL', 'SVC_RELEASES_DIR'])
  if (baseUrl === undefined) return undefined
  return {
    origin: baseUrl,
    async check(report) {
      try {
        for (const warning of releasesOwnerWarnings(releasesDir)) {
          report('releases-owner', releasesDir, warning)
        }
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
checks that all files in the releases folder have one owner.`,
  findMachine,
)
