"""The BAR device alone behind its agent: model, simulator run, environment, speed."""
