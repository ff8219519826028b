#!/bin/sh
# Enables the workflow that runs it again. GitHub disables schedules of a repository without activity for 60 days, without a
# run or a message. GITHUB_REPOSITORY and GITHUB_WORKFLOW_REF are set by GitHub; gh needs the permission actions: write.
set -eu
workflow=${GITHUB_WORKFLOW_REF%%@*}
gh api --silent --method PUT "repos/$GITHUB_REPOSITORY/actions/workflows/${workflow##*/}/enable" ||
  echo "::warning::The schedule of ${workflow##*/} could not be kept enabled; GitHub disables it after 60 days without activity in this repository"
