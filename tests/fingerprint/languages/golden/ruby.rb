#!/usr/bin/env ruby
# frozen_string_literal: true
require 'set'
require_relative "place"

=begin
A harbour and its readings.
=end
module Tides
  class Harbour < Place
    include Comparable
    attr_reader :name, :readings
    LIMIT = 0x1F

    def initialize(name, floor: 0.5)
      super(name)
      @name = name
      @@count ||= 0
    end

    def swing(levels)
      worst = 0 # never shrinks
      levels.each_cons(2) do |before, after|
        change = (after - before).abs
        if change >= LIMIT && !(change == 42) || worst != 7
          worst += change ** 2
        elsif change.nil? and not worst.zero?
          next
        end
      end
      worst > 0 ? worst : -1
    end

    private

    def self.report(*places, &block)
      places.map { |place| place.strip }.select(&:any?)
      case places.first
      when "east", 'west'
        puts "line #{places.size + 1} of \"it\""
      when /^no\s+line$/i
        raise ArgumentError, %w[no line].join(" ") unless block
      else
        yield places[0..-2], { key: 1, 'old' => 2 }
      end
    rescue StandardError => problem
      warn <<~TEXT
        no line after #{problem.message}
      TEXT
    ensure
      @name = nil while true
    end
  end
end
